import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { ApprovalPolicy } from "./approval-policy.ts";
import type { BookContext } from "./release-gate.ts";
import type { PaymentOrder } from "./payment-order.ts";

/** Cents that an order takes from a day's limit of its book, or gives back (below zero). */
export interface UsageMove {
  readonly book: BookId;
  readonly day: string;
  readonly cents: number;
}

type Limited = Pick<BookContext, "now" | "policy">;

/** Whether an order's submission is counted against a limit of its book: Credits push money out. */
export function isLimited({ terms }: Pick<PaymentOrder, "terms">, policy: ApprovalPolicy): boolean {
  return policy.dailyLimitCents !== null && terms.direction === "Credit";
}

/** What a transaction has locked of its books' usage on one New York day, and how much its orders take of it. */
export class DailyUsage {
  readonly #usedCents: Map<BookId, bigint>;

  constructor(usedCents: Iterable<readonly [BookId, bigint]> = []) {
    this.#usedCents = new Map(usedCents);
  }

  /** Takes the order's amount from the day's limit. Throws `Refusal`: `velocity_limit_exceeded`. */
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
    `This book may submit Credits of ${String(limitCents)} cents a day and has submitted ${String(usedCents)} today. ` +
    `Send at most ${String(leftCents)} cents, submit it after midnight in New York, or have the limit raised.`;
  return new Refusal("velocity_limit_exceeded", detail, {
    errors: [{ pointer: "/amountCents", code: "velocity_limit_exceeded", message: "exceeds what is left" }],
    context: { limitCents, usedCents, amountCents, day: newYorkDate(now) },
  });
}

/**
 * The day that a submission counts on. Also where no limit is set yet, for one that is set later on that day counts
 * what was submitted before; then only orders that were made on it, for by their ids they are found again.
 */
export function limitDateFor(order: PaymentOrder, { now, policy }: Limited): string | null {
  if (order.terms.direction !== "Credit") return null;
  const today = newYorkDate(now);
  return policy.dailyLimitCents !== null || newYorkDate(order.createdAt) === today ? today : null;
}

/** What an order that ends otherwise than Completed gives back: nothing once its day is over, for it is of no use. */
export function usageReleased(order: PaymentOrder, { now, policy }: Limited): UsageMove[] {
  const { limitDate = null } = order.progress;
  if (limitDate === null || !isLimited(order, policy) || limitDate !== newYorkDate(now)) return [];
  return [{ book: order.book, day: limitDate, cents: -order.terms.amountCents }];
}
