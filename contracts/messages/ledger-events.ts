import { z } from "zod";
import { paymentReturn } from "../http/payment-orders.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids.ts";
import { event } from "../message.ts";
import { amountCents } from "../money.ts";

const remittance = {
  obligationId: idSchema("ob"),
  reference: z.string(),
  jurisdiction: z.string().nullable(),
  period: z.string().nullable(),
  amountCents,
  paymentOrderId: idSchema("po"),
  occurredAt: timestamp,
};

/** A filed return was paid: its liability is relieved by as much. */
export const RemittanceCleared = event("ledger", "remittance-cleared", z.object(remittance));

/** A payment of a filed return came back: it is owed again. */
export const RemittanceReturned = event(
  "ledger",
  "remittance-returned",
  z.object({ ...remittance, return: paymentReturn }),
);
