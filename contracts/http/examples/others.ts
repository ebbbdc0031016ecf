/** Everything but orders, as the reference page shows it. A test holds each against its schema. */
import type { z } from "zod";
import type { apiKey, apiKeyCreate, apiKeyProposal, apiKeyRevoke, apiKeyRevoked } from "../api-keys.ts";
import type { endpointEvent, fuelTaxEvent, testEvent } from "../webhooks/events.ts";
import type {
  LedgerAccountPatch,
  balances,
  ledgerAccount,
  ledgerAccountCreate,
  ledgerEntry,
} from "../ledger/ledger-accounts.ts";
import type { balanceHistory, ledgerAccountJournal } from "../ledger/account-history.ts";
import type { statement } from "../ledger/statements.ts";
import {
  webhookEndpointTest,
  webhookSecretRotate,
  webhookSecretRotated,
  webhookSecrets,
} from "../webhooks/endpoint-secrets.ts";
import type {
  webhookDelivery,
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointPatch,
} from "../webhooks/webhooks.ts";
import { at, ids } from "./ids.ts";

const key = {
  id: ids.key,
  name: "Payments backend",
  principal: "payments-backend",
  mode: "Test",
  scopes: ["orders:read", "orders:write"],
  ipAllowlist: ["203.0.113.0/24"],
  prefix: "qt_test_",
  last4: "x4Rk",
  status: "Active",
  createdBy: "platform-lead",
  createdAt: at(0),
  approvedBy: null,
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  revokedBy: null,
  replacedBy: null,
  proposalId: null,
} satisfies z.output<typeof apiKey>;

const endpoint = {
  id: ids.endpoint,
  url: "https://hooks.acme.example/quittance",
  eventTypes: ["payment_order.completed", "payment_order.failed"],
  description: null,
  metadata: {},
  apiVersion: "v1",
  status: "Enabled",
  maxAttempts: 5,
  backoffSeconds: [30, 300],
  ratePerSecond: null,
  disableAfterDays: 5,
  createdAt: at(0),
} satisfies z.output<typeof webhookEndpoint>;

const standing = { pendingBalanceCents: 1_000, postedBalanceCents: 900_000, availableBalanceCents: 899_000 };

const account = {
  id: ids.account,
  name: "Operating",
  currency: "USD",
  normalBalance: "Credit",
  overdraft: "Refused",
  externalId: null,
  description: null,
  metadata: {},
  ...standing,
  pendingInboundCents: 0,
  lastSequence: 12,
  status: "Open",
  createdAt: at(0),
  updatedAt: at(0),
  closedAt: null,
} satisfies z.output<typeof ledgerAccount>;
export const closedAccount = {
  ...account,
  pendingBalanceCents: 0,
  postedBalanceCents: 0,
  availableBalanceCents: 0,
  status: "Closed",
  updatedAt: at(86_400_000),
  closedAt: at(86_400_000),
} satisfies z.output<typeof ledgerAccount>;

/** By the schema's id. */
export const otherExamples = {
  NoBody: {},
  LedgerAccountCreate: { name: "Operating", overdraft: "Refused" } satisfies z.input<
    typeof ledgerAccountCreate
  >,
  LedgerAccountPatch: {
    description: "Fees of the Chicago office",
    metadata: { office: "chicago", team: null },
  } satisfies LedgerAccountPatch,
  LedgerAccount: account,
  LedgerEntry: {
    id: ids.holdEntry,
    direction: "Debit",
    amountCents: 1_000,
    status: "Pending",
    transactionId: ids.transaction,
    sequence: 12,
    kind: "Hold",
    reversesEntryId: null,
    paymentOrderId: ids.order,
    effectiveAt: at(31),
    createdAt: at(31),
  } satisfies z.output<typeof ledgerEntry>,
  LedgerAccountStatement: {
    ledgerAccountId: ids.account,
    ledgerAccountName: "Operating",
    currency: "USD",
    normalBalance: "Credit",
    from: "2026-03-02",
    to: "2026-03-02",
    openingBalanceCents: 901_000,
    closingBalanceCents: 900_000,
    data: [
      {
        entryId: ids.holdEntry,
        effectiveDate: "2026-03-02",
        effectiveAt: at(31),
        createdAt: at(31),
        direction: "Debit",
        amountCents: 1_000,
        balanceCents: 900_000,
        kind: "Settle",
        description: null,
        externalId: null,
        transactionId: ids.transaction,
        paymentOrderId: ids.order,
        sequence: 12,
      },
    ],
    nextCursor: null,
    hasMore: false,
  } satisfies z.output<typeof statement>,
  LedgerAccountJournal: {
    sequence: 12,
    kind: "Hold",
    transactionId: ids.transaction,
    owner: { kind: "PaymentOrder", id: ids.order },
    description: null,
    externalId: null,
    change: { pendingCents: 1_000, pendingInboundCents: 0, postedCents: 0, availableCents: -1_000 },
    balancesAfter: { ...standing, pendingInboundCents: 0 },
    effectiveAt: at(31),
    createdAt: at(31),
  } satisfies z.output<typeof ledgerAccountJournal>,
  BalanceHistory: {
    ledgerAccountId: ids.account,
    ledgerAccountName: "Operating",
    currency: "USD",
    normalBalance: "Credit",
    from: at(0),
    to: at(86_400_000),
    data: [{ at: at(86_400_000), ...standing, pendingInboundCents: 0 }],
  } satisfies z.output<typeof balanceHistory>,
  Balances: {
    asOf: at(400),
    data: [{ ledgerAccountId: ids.account, name: "Operating", currency: "USD", ...standing }],
    nextCursor: null,
    hasMore: false,
    totals: [{ currency: "USD", ...standing }],
    reconciliation: {
      settlementCashCents: 900_000,
      subLedgerCents: 900_000,
      differenceCents: 0,
      bankDifferenceCents: 0,
      status: "Reconciled",
      asOf: at(300),
      now: { settlementCashCents: 900_000, subLedgerCents: 900_000, differenceCents: 0, asOf: at(400) },
      lastRun: {
        id: "rec_01jd3k9v7xf4c2h8k5n1q6s0dw",
        date: "2026-03-02",
        status: "Reconciled",
        bankDifferenceCents: 0,
        asOf: at(300),
      },
    },
  } satisfies z.output<typeof balances>,
  WebhookEndpointCreate: {
    url: "https://hooks.acme.example/quittance",
    eventTypes: ["payment_order.completed", "payment_order.failed"],
    maxAttempts: 5,
    backoffSeconds: [30, 300],
    disableAfterDays: 5,
  } satisfies z.input<typeof webhookEndpointCreate>,
  WebhookEndpointPatch: { url: "https://hooks.acme.example/payments", ratePerSecond: 20 } satisfies z.input<
    typeof webhookEndpointPatch
  >,
  WebhookEndpoint: endpoint,
  WebhookEndpointCreated: { ...endpoint, signingSecret: "whsec_shown-here-and-never-again" },
  WebhookSecretRotate: { overlapHours: 48 } satisfies z.input<typeof webhookSecretRotate>,
  WebhookSecretRotated: {
    endpointId: ids.endpoint,
    activeSecrets: [
      { createdAt: at(400), retiresAt: null },
      { createdAt: at(0), retiresAt: "2026-03-04T15:00:00.400Z" },
    ],
    signingSecret: "whsec_shown-here-and-never-again",
  } satisfies z.output<typeof webhookSecretRotated>,
  WebhookSecrets: {
    endpointId: ids.endpoint,
    activeSecrets: [{ createdAt: at(400), retiresAt: null }],
  } satisfies z.output<typeof webhookSecrets>,
  WebhookEndpointTest: { secret: "Newest" } satisfies z.input<typeof webhookEndpointTest>,
  WebhookDelivery: {
    id: ids.delivery,
    eventId: ids.event,
    endpointId: ids.endpoint,
    eventType: "payment_order.completed",
    status: "Retrying",
    attemptCount: 1,
    nextAttemptAt: at(60_400),
    attempts: [
      {
        at: at(400),
        durationMs: 38,
        responseStatus: 503,
        responseBody: "down for a moment",
        error: null,
        errorClass: "Status",
        timings: { dnsMs: 4, connectMs: 9, tlsMs: 12, firstByteMs: 12, totalMs: 38 },
      },
    ],
    url: endpoint.url,
    payload: `{"id":"${ids.event}","type":"payment_order.completed","created_at":"${at(358)}","data":{"id":"${ids.order}"}}`,
    createdAt: at(358),
  } satisfies z.output<typeof webhookDelivery>,
  ApiKeyCreate: {
    name: "Payments backend",
    principal: "payments-backend",
    scopes: ["orders:read", "orders:write"],
    ipAllowlist: ["203.0.113.0/24"],
  } satisfies z.input<typeof apiKeyCreate>,
  ApiKey: key,
  ApiKeyCreated: { ...key, key: "qt_test_shown-here-and-never-again" },
  ApiKeyRotate: { overlapHours: 24 },
  ApiKeyRevoke: { includeDescendants: true } satisfies z.input<typeof apiKeyRevoke>,
  ApiKeyRevoked: {
    ...key,
    status: "Revoked",
    revokedAt: at(400),
    revokedBy: "platform-lead",
    descendants: [],
  } satisfies z.output<typeof apiKeyRevoked>,
  ApiKeyProposal: {
    id: ids.proposal,
    status: "Open",
    apiKey: { ...key, scopes: ["orders:approve"], status: "Pending", proposalId: ids.proposal },
    reason: "A key that approves comes from two principals.",
    proposedBy: "platform-lead",
    proposedAt: at(0),
    decidedBy: null,
    decidedAt: null,
  } satisfies z.output<typeof apiKeyProposal>,
  FuelTaxEvent: {
    id: ids.event,
    type: "fuel_tax.remittance_cleared",
    created_at: at(358),
    data: {
      obligationId: "ob_01jd3k0c9xf6k3m8t2w5r7y1va",
      reference: "IFTA 2026 Q1",
      jurisdiction: "TX",
      period: "2026-Q1",
      amountCents: 418_250,
      paymentOrderId: ids.order,
      occurredAt: at(358),
    },
  } satisfies z.output<typeof fuelTaxEvent>,
  WebhookEndpointEvent: {
    id: ids.event,
    type: "webhook_endpoint.disabled",
    created_at: at(358),
    data: {
      id: ids.endpoint,
      host: "hooks.acme.example",
      disableAfterDays: 5,
      failingSince: "2026-02-25T15:00:00.358Z",
      occurredAt: at(358),
    },
  } satisfies z.output<typeof endpointEvent>,
  TestEvent: {
    id: ids.event,
    type: "test.event",
    created_at: at(0),
    data: {},
  } satisfies z.output<typeof testEvent>,
};
