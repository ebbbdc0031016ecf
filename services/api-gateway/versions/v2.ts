import type { z } from "zod";
import { type Inbox, inbox, inboxToV2, inboxV2 } from "../../../contracts/http/inbox.ts";
import {
  orderToV2,
  pageToV2,
  paymentOrderBodyV2,
  paymentOrderPageV2,
  paymentOrderPatchBodyV2,
  paymentOrderPreviewBodyV2,
  paymentOrderV2,
} from "../../../contracts/http/payments/payment-orders-v2.ts";
import { paymentOrderPreviewBody } from "../../../contracts/http/payments/payment-order-preview.ts";
import {
  type PaymentOrder,
  paymentOrder,
  paymentOrderBody,
  paymentOrderPage,
  paymentOrderPatchBody,
} from "../../../contracts/http/payments/payment-orders.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { ChangedAnswer, VersionChanges } from "./mount-version.ts";

/** Version 2: the amount of a payment order and its currency are one member, `amount: { cents, currency }`. */
export const v2: VersionChanges = {
  bodies: new Map<z.ZodType, z.ZodType>([
    [paymentOrderBody, paymentOrderBodyV2],
    [paymentOrderPatchBody, paymentOrderPatchBodyV2],
    [paymentOrderPreviewBody, paymentOrderPreviewBodyV2],
  ]),
  answers: new Map<z.ZodType, ChangedAnswer>([
    [paymentOrder, { schema: paymentOrderV2, render: (order) => orderToV2(order as PaymentOrder) }],
    [
      paymentOrderPage,
      { schema: paymentOrderPageV2, render: (page) => pageToV2(page as Page<PaymentOrder>) },
    ],
    [inbox, { schema: inboxV2, render: (answer) => inboxToV2(answer as Inbox) }],
  ]),
  pointers: { "/amountCents": "/amount/cents", "/currency": "/amount/currency" },
  example: withAmount,
};

/** Converts an example, with every amount in it. */
function withAmount(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAmount);
  if (typeof value !== "object" || value === null) return value;
  const { amountCents, currency = "USD", ...rest } = value as Record<string, unknown>;
  const entries = Object.entries(rest).map(([name, each]) => [name, withAmount(each)]);
  const amount = amountCents === undefined ? {} : { amount: { cents: amountCents, currency } };
  return { ...amount, ...Object.fromEntries(entries) };
}
