/** Proposed changes of counterparties as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type { proposedChange } from "../payments/proposed-changes.ts";
import type { counterpartyEvent } from "../webhooks/events.ts";
import { at, ids } from "./ids.ts";

const proposed = {
  id: ids.proposedChange,
  counterpartyId: ids.counterparty,
  paymentOrderId: ids.order,
  rails: ["Ach" as const],
  code: "C02",
  correctedData: {
    accountNumber: null,
    routingNumber: "790001102",
    name: null,
    transactionCode: null,
    individualId: null,
  },
  receivedAt: at(0),
  correctBy: "2026-03-11T04:00:00.000Z",
};
const open = {
  ...proposed,
  status: "Open",
  decidedBy: null,
  decidedAt: null,
} satisfies z.output<typeof proposedChange>;
export const dismissedChange = {
  ...open,
  status: "Dismissed",
  decidedBy: "ap-clerk",
  decidedAt: at(86_400_000),
} satisfies z.output<typeof proposedChange>;

/** By the schema's id. */
export const proposedChangeExamples = {
  ProposedChange: open,
  CounterpartyEvent: {
    id: ids.event,
    type: "counterparty.change_proposed",
    created_at: at(0),
    data: proposed,
  } satisfies z.output<typeof counterpartyEvent>,
};
