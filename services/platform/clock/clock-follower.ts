import type { z } from "zod";
import { clockOfMessage, type sentClock } from "../../../contracts/book-clock.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../persistence/sql.ts";
import { saveClock } from "./book-clocks.ts";
import type { BooksWithClock } from "./books-with-clock.ts";

/** What a service that stores copies of the books' clocks does for such a book. rails-simulator sets the clocks. */
export abstract class ClockFollower {
  /** The earliest time, on the book's clock, at which the service has something to do for the book. */
  abstract nextDueOf(sql: Sql, book: BookId): Promise<Date | null>;

  /**
   * Other work that the service is doing for the book now: work without an unconfirmed message and without a due time.
   */
  underWayOf(_sql: Sql, _book: BookId): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** A clock has changed; called in the transaction that stores it. `first`: the book had none of its own. */
  onChange(_sql: Sql, _book: BookId, _change: { readonly first: boolean }): Promise<void> {
    return Promise.resolve();
  }

  /** After that transaction: something may be due now. */
  wake(): void {
    // A service without a worker that waits for times of books has none to wake.
  }
}

/** Stores a book's clock and lets the service follow it. Returns false if a later clock is stored already. */
export async function storeClock(
  sql: Sql,
  book: BookId,
  { sequence, ...clock }: z.output<typeof sentClock> & { readonly sequence: number },
  { booksWithClock, follower }: { booksWithClock: BooksWithClock; follower: ClockFollower },
): Promise<boolean> {
  booksWithClock.add(book);
  const saved = await saveClock(sql, book, { ...clockOfMessage(clock), sequence });
  if (saved !== undefined) await follower.onChange(sql, book, saved);
  return saved !== undefined;
}
