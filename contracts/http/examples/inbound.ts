/** Virtual accounts and inbound payments, as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type {
  inboundPayment,
  inboundPaymentAssign,
  inboundSimulation,
  inboundSimulationResult,
} from "../ledger/inbound-payments.ts";
import type { inboundPaymentEvent } from "../webhooks/events.ts";
import type {
  virtualAccount,
  virtualAccountCreate,
  virtualAccountPatch,
} from "../ledger/virtual-accounts.ts";
import { at, ids } from "./ids.ts";

const payment = {
  id: ids.inboundPayment,
  status: "Attributed",
  reason: null,
  virtualAccountId: ids.virtualAccount,
  ledgerAccountId: ids.account,
  ledgerTransactionId: "lt_01jd3k7a2cfm5r8v1w4z6x9b3n",
  rail: "Rtp",
  direction: "Credit",
  amountCents: 120_000,
  currency: "USD",
  originatorName: "Blue Freight LLC",
  bankReference: "8F3A51C09B7D4E26A1C4D8E0F2B6A957",
  returnsPaymentOrderId: null,
  unmatchedReturn: null,
  occurredAt: at(358),
} as const;

/** By the schema's id. */
export const inboundExamples = {
  VirtualAccountCreate: {
    name: "Blue Freight, deposits",
    ledgerAccountName: "Operating",
    counterpartyId: ids.counterparty,
  } satisfies z.input<typeof virtualAccountCreate>,
  VirtualAccountPatch: { description: null, metadata: { customer: "7", region: null } } satisfies z.input<
    typeof virtualAccountPatch
  >,
  VirtualAccount: {
    id: ids.virtualAccount,
    name: "Blue Freight, deposits",
    status: "Active",
    accountNumber: "50283749165029385",
    routingNumber: "790001005",
    ledgerAccountId: ids.account,
    ledgerAccountName: "Operating",
    counterpartyId: ids.counterparty,
    externalId: null,
    description: null,
    metadata: {},
    createdAt: at(0),
    updatedAt: at(0),
  } satisfies z.output<typeof virtualAccount>,
  InboundPayment: {
    ...payment,
    returnCode: null,
    accountNumber: "****9385",
    accountNumberLast4: "9385",
    proposedAssignment: null,
    assignment: null,
    createdAt: at(364),
  } satisfies z.output<typeof inboundPayment>,
  InboundPaymentAssign: { ledgerAccountName: "Operating" } satisfies z.input<typeof inboundPaymentAssign>,
  InboundSimulation: {
    virtualAccountNumber: "50283749165029385",
    rail: "Rtp",
    amountCents: 120_000,
    originatorName: "Blue Freight LLC",
  } satisfies z.input<typeof inboundSimulation>,
  InboundSimulationResult: {
    bankReference: payment.bankReference,
    rail: "Rtp",
    direction: "Credit",
    amountCents: 120_000,
    currency: "USD",
    originatorName: "Blue Freight LLC",
    occurredAt: at(358),
  } satisfies z.output<typeof inboundSimulationResult>,
  InboundPaymentEvent: {
    id: ids.event,
    type: "inbound_payment.received",
    created_at: at(358),
    data: payment,
  } satisfies z.output<typeof inboundPaymentEvent>,
};
