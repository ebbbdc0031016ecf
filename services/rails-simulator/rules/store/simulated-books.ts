import { type BookClock, instantClock, timeIn } from "../../../../contracts/book-clock.ts";
import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import {
  type ClockColumns,
  clockColumns,
  clockOf,
  lateralClock,
} from "../../../platform/clock/book-clocks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** What decides at hand-off what happens in a book. */
export interface SimulatedBook {
  readonly clock: BookClock;
  /** Whether the book has a clock of its own. */
  readonly hasClock: boolean;
  /** The time in the book. */
  readonly time: Date;
  /** Decides what is random in the book. */
  readonly seed: string;
  /** Counts the changes of the book's rules; null for a book that never had one. */
  readonly ruleChanges: bigint | null;
}

/** The seed of a book that never set one. */
export const defaultSeed = "0";

interface BookRow extends ClockColumns {
  book_id: string;
  seed: string | null;
  changes: bigint | null;
}

/** The given books when it is `realTime` outside. One statement: a hand-off needs the clock anyway. */
export async function readSimulatedBooks(
  sql: Sql,
  books: readonly BookId[],
  realTime: Date,
): Promise<(book: BookId) => SimulatedBook> {
  const rows = await sql<BookRow>(
    `select k.book_id, ${clockColumns}, s.seed, r.changes
     from unnest($1::uuid[]) as k (book_id)
     ${lateralClock("k.book_id")}
     left join lateral (select seed from simulation_seed where book_id = k.book_id offset 0) s on true
     left join lateral (select changes from injection_book where book_id = k.book_id offset 0) r on true
     where c.clock_mode is not null
       or r.changes is not null`,
    [[...new Set(books)].map(uuidOf)],
  );
  const known = new Map(rows.map((row) => [idOf("book", row.book_id), row]));
  return (book) => {
    const row = known.get(book);
    const own = row === undefined ? undefined : clockOf(row);
    const clock = own ?? instantClock;
    return {
      clock,
      hasClock: own !== undefined,
      time: timeIn(clock, realTime),
      seed: row?.seed ?? defaultSeed,
      ruleChanges: row?.changes ?? null,
    };
  };
}
