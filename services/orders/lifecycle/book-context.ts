import { Injectable } from "@nestjs/common";
import { type BookClock, instantClock, timeIn } from "../../../contracts/book-clock.ts";
import type { BookId, Mode } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { BookContext } from "../order/book-context.ts";
import { type BookRules, readBookRules } from "../store/books.ts";

/** An order or a caller: anything that belongs to a book. */
interface BookOf {
  readonly book: BookId;
  readonly mode: Mode;
}

export type BookContextOf = (of: BookOf) => BookContext;

/** Reads the context in which orders of each book are decided, as of this transaction. */
@Injectable()
export class BookContexts {
  /** Call it under the locks of the orders: a clock that begins moves the due times of those that are not locked. */
  async of(sql: Sql, books: readonly BookId[], realNow = realTime()): Promise<BookContextOf> {
    const rules = await readBookRules(sql, books);
    return ({ book, mode }) => contextIn(rules, book, mode, realNow);
  }
}

const liveClock: BookClock = { mode: "Real", leadMs: 0, standsAt: null };

/** Throws for a book that was not read. Guessing its policy could let orders pass. */
function contextIn(
  rules: ReadonlyMap<BookId, BookRules>,
  book: BookId,
  mode: Mode,
  realNow: Date,
): BookContext {
  const found = rules.get(book);
  if (found === undefined) throw new Error(`the rules of ${book} were not looked up`);
  const { policy, suspended, frozen, approvalRights, completesAfterBankingDays } = found;
  const ownClock = mode === "Live" ? undefined : found.clock;
  const clock = mode === "Live" ? liveClock : (ownClock ?? instantClock);
  return {
    now: timeIn(clock, realNow),
    realNow,
    clock: clock.mode,
    hasOwnClock: ownClock !== undefined,
    policy,
    tenantActive: !suspended,
    bookFrozen: frozen,
    approvalRights,
    completesAfterBankingDays,
  };
}
