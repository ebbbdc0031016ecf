/**
 * Payment orders as version 2 writes them: `amount: { cents, currency }` in place of `amountCents` and `currency`.
 * Everything else is as in version 1.
 */
import type { z } from "zod";
import { money } from "../money.ts";
import { paymentOrderPreviewBody, paymentOrderPreviewCreate } from "./payment-order-preview.ts";
import {
  type PaymentOrder,
  paymentOrder,
  paymentOrderBody,
  paymentOrderCreate,
  paymentOrderPatch,
  paymentOrderPatchBody,
} from "./payment-orders.ts";
import { mergePatch, type Page, pageOf } from "../shapes.ts";

type Amount = z.infer<typeof money>;

/** Turns a body of version 2 into one of version 1. */
function toV1<T extends { amount?: Amount | undefined }>({ amount, ...rest }: T) {
  return amount === undefined ? rest : { ...rest, amountCents: amount.cents };
}

const inOne = { amountCents: true } as const;

export const paymentOrderCreateV2 = paymentOrderCreate
  .omit({ ...inOne, currency: true })
  .extend({ amount: money })
  .meta({ id: "PaymentOrderCreateV2", description: "A new payment order." });
/** Validates a body of version 2 and turns it into one of version 1. */
export const paymentOrderBodyV2 = paymentOrderCreateV2.transform(toV1).pipe(paymentOrderBody);

const paymentOrderPatchV2 = paymentOrderPatch.omit(inOne).extend({ amount: money.optional() }).meta({
  id: "PaymentOrderPatchV2",
  description:
    "The fields to change. Null removes an optional field. After the submission only `description` and `metadata` can change.",
});
export const paymentOrderPatchBodyV2 = mergePatch(
  paymentOrderPatchV2.transform(toV1).pipe(paymentOrderPatchBody),
);

const paymentOrderPreviewCreateV2 = paymentOrderPreviewCreate
  .omit({ ...inOne, currency: true })
  .extend({ amount: money })
  .meta({ id: "PaymentOrderPreviewCreateV2", description: "The order to preview." });
export const paymentOrderPreviewBodyV2 = paymentOrderPreviewCreateV2
  .transform(toV1)
  .pipe(paymentOrderPreviewBody);

export const paymentOrderV2 = paymentOrder
  .omit({ ...inOne, currency: true })
  .extend({ amount: money })
  .meta({ id: "PaymentOrderV2", description: "One payment, on any rail." });
export type PaymentOrderV2 = z.infer<typeof paymentOrderV2>;
export const paymentOrderPageV2 = pageOf(paymentOrderV2).meta({
  id: "PaymentOrderPageV2",
  description: "One page of payment orders.",
});

/** Turns an order of version 1 into one of version 2. */
export function orderToV2({ amountCents, currency, ...rest }: PaymentOrder): PaymentOrderV2 {
  return { ...rest, amount: { cents: amountCents, currency } };
}

export function pageToV2(page: Page<PaymentOrder>): Page<PaymentOrderV2> {
  return { ...page, data: page.data.map(orderToV2) };
}
