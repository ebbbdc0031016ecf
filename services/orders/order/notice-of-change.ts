import type { z } from "zod";
import type { CorrectedData } from "../../../contracts/http/payments/proposed-changes.ts";
import type { NoticeOfChange } from "../../../contracts/messages/rails.ts";
import { maskedAccountNumber } from "../../../contracts/rails/rails.ts";
import type { NoticeRecord } from "./notice-record.ts";
import type { PaymentOrder, RailProgress } from "./payment-order.ts";

/** What a bank corrects. Its account number is encrypted. */
export type Correction = z.output<typeof NoticeOfChange.data>["correctedData"];

export function maskedCorrection({ accountNumber, ...plain }: Correction): CorrectedData {
  return {
    accountNumber: accountNumber === undefined ? null : maskedAccountNumber(accountNumber.last4),
    routingNumber: plain.routingNumber ?? null,
    name: plain.name ?? null,
    transactionCode: plain.transactionCode ?? null,
    individualId: plain.individualId ?? null,
  };
}

export function hasNotice({ progress }: PaymentOrder, number: number): boolean {
  return progress.rail.notices?.some((known) => known.number === number) === true;
}

/** No money moves: the phase stays, and nothing is published. The order is the same if it has the notice already. */
export function withNotice(order: PaymentOrder, notice: NoticeRecord, realNow: Date): PaymentOrder {
  if (hasNotice(order, notice.number)) return order;
  const { progress } = order;
  const notices = [...(progress.rail.notices ?? []), notice];
  return { ...order, updatedAt: realNow, progress: { ...progress, rail: { ...progress.rail, notices } } };
}

/** The number of the rail's next event that the order has not got. */
export function nextEventNumber({ eventNumber, notices = [] }: RailProgress): number {
  const noted = new Set(notices.map(({ number }) => number));
  let next = eventNumber + 1;
  while (noted.has(next)) next += 1;
  return next;
}
