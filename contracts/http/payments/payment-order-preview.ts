import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { balanceCents } from "../../money.ts";
import { bankingDate } from "../shapes.ts";
import { cutoff } from "./payment-order-parts.ts";
import { nameOneAccount, paymentOrderCreate } from "./payment-orders.ts";

/** What POST /v1/payment-orders/preview takes: an order as it would be created, submitted at once. */
export const paymentOrderPreviewCreate = paymentOrderCreate.omit({ submit: true }).meta({
  id: "PaymentOrderPreviewCreate",
  description: "The order to preview.",
});
export const paymentOrderPreviewBody = paymentOrderPreviewCreate.superRefine(nameOneAccount);

const balances = z.object({
  pendingBalanceCents: balanceCents.meta({ description: "On hold for outgoing payments, in cents." }),
  postedBalanceCents: balanceCents.meta({ description: "Settled, in cents. May be negative." }),
  availableBalanceCents: balanceCents.meta({ description: "Posted minus pending, in cents." }),
});

/** What an order would do that passed every control. Nothing is written. */
export const paymentOrderPreview = z
  .object({
    approvalsRequired: z.int().meta({ description: "How many approvals the order would need." }),
    cutoff: cutoff.nullable().meta({
      description: "Null on a rail without windows, and in a book with the clock Instant, which has none.",
    }),
    expectedSettlementDate: bankingDate
      .nullable()
      .meta({ description: "When the rail would be expected to settle it." }),
    ledgerAccountId: idSchema("la"),
    balances: z
      .object({
        now: balances.meta({ description: "As they are." }),
        held: balances.meta({ description: "With the order's hold." }),
        settled: balances.meta({ description: "After its settlement." }),
      })
      .meta({ description: "The balances of your ledger account." }),
    dailyLimit: z
      .object({
        limitCents: z.int().meta({ description: "The limit of the policy, in cents." }),
        usedCents: z.int().meta({ description: "Used today without this order, in cents." }),
      })
      .nullable()
      .meta({ description: "Null if the policy has no daily limit." }),
  })
  .meta({ id: "PaymentOrderPreview", description: "What would happen to the order. Nothing was written." });
export type PaymentOrderPreview = z.infer<typeof paymentOrderPreview>;
