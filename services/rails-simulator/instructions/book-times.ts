import { type BookClock, instantClock, timeIn } from "../../../contracts/book-clock.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { readClocks } from "../../platform/clock/book-clocks.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

export interface BookTime {
  readonly clock: BookClock;
  /** The time in the book. */
  readonly time: Date;
  /** Whether the book has a clock of its own. */
  readonly hasClock: boolean;
}

export type BookTimes = (book: BookId) => BookTime;

/** What time it is in Test books when it is `realTime` outside. */
export async function readBookTimes(
  sql: Sql,
  of: readonly { readonly book: BookId }[],
  realTime: Date,
): Promise<BookTimes> {
  const clocks = await readClocks(
    sql,
    of.map(({ book }) => book),
  );
  return (book) => {
    const clock = clocks.get(book);
    return {
      clock: clock ?? instantClock,
      time: timeIn(clock ?? instantClock, realTime),
      hasClock: clock !== undefined,
    };
  };
}
