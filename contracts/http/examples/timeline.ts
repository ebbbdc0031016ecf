/** The timeline of an order, as the reference page shows it. */
import type { z } from "zod";
import type { paymentOrderTimeline } from "../payments/payment-order-timeline.ts";
import { at, ids } from "./ids.ts";

const nothingElse = {
  status: null,
  actor: null,
  reason: null,
  code: null,
  reference: null,
  eventType: null,
  ledgerTransactionId: null,
  sequence: null,
  webhookId: null,
  eventId: null,
  endpointId: null,
};

/** By the schema's id. */
export const timelineExamples = {
  PaymentOrderTimeline: {
    paymentOrderId: ids.order,
    data: [
      {
        ...nothingElse,
        at: at(0),
        source: "Orders",
        kind: "StatusChanged",
        status: "Submitted",
        actor: "ap-clerk",
      },
      {
        ...nothingElse,
        at: at(31),
        source: "Ledger",
        kind: "HoldPlaced",
        ledgerTransactionId: ids.transaction,
        sequence: 12,
      },
      { ...nothingElse, at: at(60_000), source: "Rails", kind: "InstructionReturned", code: "R01" },
    ],
    truncated: false,
    unavailable: [],
    leftOut: [{ source: "Webhooks", scope: "webhooks:read" }],
  } satisfies z.output<typeof paymentOrderTimeline>,
};
