/** Orders, policies and counterparties as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type { counterparty, counterpartyBody } from "../payments/counterparties.ts";
import type { paymentOrderEvent } from "../webhooks/events.ts";
import type { paymentOrderPreview } from "../payments/payment-order-preview.ts";
import type {
  approvalBody,
  cancelBody,
  denyBody,
  paymentOrder,
  paymentOrderChange,
  paymentOrderCreate,
  paymentOrderPatch,
} from "../payments/payment-orders.ts";
import { at, ids } from "./ids.ts";

const toAda = {
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "790001005",
};

/** Creatable orders, by the name of the case. */
export const paymentOrderCreates = {
  rtp: {
    summary: "Push ten dollars over RTP",
    value: { direction: "Credit", rail: "Rtp", amountCents: 1_000, ledgerAccountName: "Operating", ...toAda },
  },
  collect: {
    summary: "Collect from a customer's bank over ACH",
    value: {
      direction: "Debit",
      rail: "Ach",
      amountCents: 900_000,
      ledgerAccountName: "Operating",
      ...toAda,
    },
  },
  wireDraft: {
    summary: "Keep a wire as a Draft, to a stored counterparty",
    value: {
      direction: "Credit",
      rail: "Wire",
      amountCents: 180_000,
      ledgerAccountId: ids.account,
      counterpartyId: ids.counterparty,
      externalId: "invoice-4711",
      purpose: "Freight, March",
      metadata: { load: "TX-88" },
      submit: false,
    },
  },
  book: {
    summary: "Move money between two of your accounts",
    value: {
      direction: "Credit",
      rail: "Book",
      amountCents: 250_000,
      ledgerAccountName: "Operating",
      counterpartyAccountNumber: "Reserve",
    },
  },
  usdc: {
    summary: "Pay in USDC",
    value: {
      direction: "Credit",
      rail: "Usdc",
      amountCents: 1_000,
      ledgerAccountName: "Operating",
      counterpartyName: "Ada Example",
      counterpartyAccountNumber: "0x52908400098527886E0F7030069857D2E4169EE7",
      counterpartyRoutingNumber: "base",
    },
  },
} satisfies Record<string, { summary: string; value: z.input<typeof paymentOrderCreate> }>;

const history = [
  { from: null, to: "Draft", at: at(0), actor: "ap-clerk", reason: null },
  { from: "Draft", to: "Submitted", at: at(0), actor: "ap-clerk", reason: null },
] satisfies z.output<typeof paymentOrder>["statusHistory"];

const order = {
  id: ids.order,
  status: "Submitted",
  mode: "Test",
  direction: "Credit",
  rail: "Rtp",
  amountCents: 1_000,
  currency: "USD",
  ledgerAccountId: ids.account,
  ledgerAccountName: "Operating",
  counterpartyId: null,
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "••••6789",
  counterpartyRoutingNumber: "790001005",
  externalId: null,
  description: null,
  statementDescriptor: null,
  effectiveDate: null,
  purpose: null,
  basis: "Actual",
  metadata: {},
  approval: {
    required: 0,
    received: 0,
    approvals: [],
    orderHash: "0f4c6f1f4ae1c8cf0a0a52d2a6f3f2a9b1d3c4e5f60718293a4b5c6d7e8f9012",
    makers: ["ap-clerk"],
    reasons: [],
    expiresAt: null,
    mine: null,
    decision: null,
  },
  awaiting: null,
  cancellable: true,
  cutoff: null,
  expectedSettlementDate: "2026-03-02",
  ledgerTransactionId: null,
  obligationId: null,
  railReference: null,
  failure: null,
  cancelReason: null,
  return: null,
  strayMovements: [],
  noticesOfChange: [],
  sentBackBy: null,
  statusHistory: history,
  createdBy: "ap-clerk",
  createdAt: at(0),
  submittedAt: at(0),
  completedAt: null,
  returnedAt: null,
  updatedAt: at(0),
} satisfies z.output<typeof paymentOrder>;

const pendingHistory = [
  ...history,
  { from: "Submitted", to: "Pending", at: at(31), actor: "ledger", reason: null },
] satisfies z.output<typeof paymentOrder>["statusHistory"];

/** A wire whose money is held and that two others have approved. */
export const approvedOrder = {
  ...order,
  status: "Processing",
  rail: "Wire",
  amountCents: 180_000,
  ledgerTransactionId: ids.transaction,
  cancellable: false,
  approval: {
    ...order.approval,
    required: 2,
    received: 2,
    approvals: [
      { principal: "controller", at: at(40_000), counts: true, notCountedReason: null },
      { principal: "treasurer", at: at(95_000), counts: true, notCountedReason: null },
    ],
    reasons: [
      {
        rule: "dualApprovalRails",
        approvals: 2,
        thresholdCents: null,
        detail: "Orders on Wire need two approvals.",
      },
    ],
    decision: { outcome: "Approved", decidedBy: "treasurer", decidedAt: at(95_000) },
  },
  cutoff: { missed: false, cutoffAt: "2026-03-02T21:30:00.000Z", nextWindowOpensAt: null, reason: null },
  statusHistory: [
    ...pendingHistory,
    { from: "Pending", to: "Processing", at: at(95_000), actor: "orders", reason: null },
  ],
  updatedAt: at(95_000),
} satisfies z.output<typeof paymentOrder>;

/** A Draft: nothing is held, everything can still change. */
export const draftOrder = {
  ...order,
  status: "Draft",
  submittedAt: null,
  approval: { ...order.approval, orderHash: null },
  expectedSettlementDate: null,
  statusHistory: history.slice(0, 1),
} satisfies z.output<typeof paymentOrder>;

/** An order that its maker cancelled while it waited. */
export const cancelledOrder = {
  ...order,
  status: "Cancelled",
  ledgerTransactionId: ids.transaction,
  cancellable: false,
  cancelReason: "wrong payee",
  statusHistory: [
    ...pendingHistory,
    { from: "Pending", to: "Cancelled", at: at(60_000), actor: "ap-clerk", reason: "wrong payee" },
  ],
  updatedAt: at(60_000),
} satisfies z.output<typeof paymentOrder>;

const bank = { rail: "Ach", accountNumber: "000123456789", routingNumber: "790001005" } as const;

/** By the schema's id. */
export const orderExamples = {
  PaymentOrder: order,
  PaymentOrderPatch: { amountCents: 1_250, description: null } satisfies z.input<typeof paymentOrderPatch>,
  PaymentOrderChange: {
    principal: "ap-clerk",
    at: at(95_000),
    before: { description: null, metadata: {} },
    after: { description: "Freight, March", metadata: { load: "TX-88" } },
  } satisfies z.output<typeof paymentOrderChange>,
  PaymentOrderApprove: { orderHash: order.approval.orderHash } satisfies z.input<typeof approvalBody>,
  PaymentOrderCancel: { reason: "wrong payee" } satisfies z.input<typeof cancelBody>,
  PaymentOrderDeny: { reason: "no such invoice" } satisfies z.input<typeof denyBody>,
  PaymentOrderPreviewCreate: paymentOrderCreates.rtp.value,
  PaymentOrderPreview: {
    approvalsRequired: 0,
    cutoff: null,
    expectedSettlementDate: "2026-03-02",
    ledgerAccountId: ids.account,
    balances: {
      now: { pendingBalanceCents: 0, postedBalanceCents: 900_000, availableBalanceCents: 900_000 },
      held: { pendingBalanceCents: 1_000, postedBalanceCents: 900_000, availableBalanceCents: 899_000 },
      settled: { pendingBalanceCents: 0, postedBalanceCents: 899_000, availableBalanceCents: 899_000 },
    },
    dailyLimit: null,
  } satisfies z.output<typeof paymentOrderPreview>,
  CounterpartyBody: {
    name: "Ada Example",
    type: "Business",
    email: "billing@ada.example",
    accounts: [{ ...bank, accountType: "Checking" }],
  } satisfies z.input<typeof counterpartyBody>,
  Counterparty: {
    id: ids.counterparty,
    name: "Ada Example",
    type: "Business",
    email: "billing@ada.example",
    externalId: null,
    accounts: [{ ...bank, accountNumber: "••••6789", accountType: "Checking" }],
    verificationStatus: "Unverified",
    verifiedBy: null,
    verifiedAt: null,
    metadata: {},
    version: 1,
    createdBy: "ap-clerk",
    createdAt: at(0),
    updatedAt: at(0),
    archivedAt: null,
    archivedBy: null,
    detailsEnteredBy: ["ap-clerk"],
  } satisfies z.output<typeof counterparty>,
  PaymentOrderEvent: {
    id: ids.event,
    type: "payment_order.completed",
    created_at: at(358),
    data: {
      id: ids.order,
      status: "Completed",
      rail: "Rtp",
      amountCents: 1_000,
      currency: "USD",
      direction: "Credit",
      externalId: null,
      previousStatus: "Processing",
      sequence: 4,
      occurredAt: at(358),
    },
  } satisfies z.output<typeof paymentOrderEvent>,
};
