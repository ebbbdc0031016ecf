import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { ApprovalPolicy } from "./approval-policy.ts";
import type { BookContext } from "./book-context.ts";
import type { PaymentOrder } from "./payment-order.ts";

/** A change of the amount that a book has used of its daily limit; negative if an order gives its amount back. */
export interface UsageMove {
  readonly book: BookId;
  readonly day: string;
  readonly cents: number;
}

type Limited = Pick<BookContext, "now" | "policy">;

/** Whether a daily limit applies to the order. The limit counts Credits on every rail, Book included; never Debits. */
export function isLimited({ terms }: Pick<PaymentOrder, "terms">, policy: ApprovalPolicy): boolean {
  return policy.dailyLimitCents !== null && terms.direction === "Credit";
}

/** The daily usage that a transaction has locked, for one New York date. It grows by each order's amount. */
export class DailyUsage {
  readonly #usedCents: Map<BookId, bigint>;

  constructor(usedCents: Iterable<readonly [BookId, bigint]> = []) {
    this.#usedCents = new Map(usedCents);
  }

  /** Takes the order's amount from the daily limit. Refusals: `velocity_limit_exceeded`. */
  take(order: PaymentOrder, { now, policy }: Limited): UsageMove[] {
    if (policy.dailyLimitCents === null || !isLimited(order, policy)) return [];
    const { book, terms } = order;
    const used = this.#usedCents.get(book);
    if (used === undefined) throw new Error(`the daily usage of ${book} was not locked`);
    const after = used + BigInt(terms.amountCents);
    if (after > BigInt(policy.dailyLimitCents)) throw limitExceeded(terms.amountCents, policy, used, now);
    this.#usedCents.set(book, after);
    return [{ book, day: newYorkDate(now), cents: terms.amountCents }];
  }
}

function limitExceeded(
  amountCents: number,
  { dailyLimitCents }: ApprovalPolicy,
  used: bigint,
  now: Date,
): Refusal {
  const [limitCents, usedCents] = [dailyLimitCents ?? 0, Number(used)];
  const leftCents = Math.max(0, limitCents - usedCents);
  const detail =
    `This book may submit Credits of ${String(limitCents)} cents a day and has submitted ${String(usedCents)} cents today. ` +
    `Send at most ${String(leftCents)} cents, submit it after midnight in New York, or have the limit raised.`;
  return new Refusal("velocity_limit_exceeded", detail, {
    errors: [
      {
        pointer: "/amountCents",
        code: "velocity_limit_exceeded",
        message: "exceeds what is left of the daily limit",
      },
    ],
    context: { limitCents, usedCents, amountCents, day: newYorkDate(now) },
  });
}

/**
 * The New York date whose daily limit this order counts against, or null for Debits. Recorded even if the book has no
 * limit yet: if one is set later the same day, `recountUsage` includes the order.
 */
export function limitDateFor({ terms }: PaymentOrder, { now }: Pick<BookContext, "now">): string | null {
  return terms.direction === "Credit" ? newYorkDate(now) : null;
}

/** What an order that ends without completing gives back to the daily limit; nothing once that day is over. */
export function usageReleased(order: PaymentOrder, { now, policy }: Limited): UsageMove[] {
  const { limitDate } = order.progress;
  if (limitDate === null || !isLimited(order, policy) || limitDate !== newYorkDate(now)) return [];
  return [{ book: order.book, day: limitDate, cents: -order.terms.amountCents }];
}
