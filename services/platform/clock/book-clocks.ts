import { type BookClock, timeIn } from "../../../contracts/book-clock.ts";
import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../persistence/sql.ts";
import { realTime } from "./real-time.ts";

/** The columns of a clock, from `lateralClock`: all null for a book without a clock of its own. */
export interface ClockColumns {
  clock_mode: BookClock["mode"] | null;
  clock_lead_ms: bigint | null;
  clock_stands_at: Date | null;
}

export const clockColumns = "c.clock_mode, c.clock_lead_ms, c.clock_stands_at";

/** Joins the clock of the book that `book` names to a query, as `c` with `clockColumns`. */
export const lateralClock = (book: string) => `left join lateral (
       select mode as clock_mode, lead_ms as clock_lead_ms, stands_at as clock_stands_at
       from book_clock
       where book_id = ${book}
       offset 0
     ) c on true`;

/** The time in the book of `book_clock`'s row `alias` when it is `realTime` (a parameter) outside. */
export const timeInSql = (alias: string, realTime: string) =>
  `coalesce(${alias}.stands_at, ${realTime}::timestamptz + ${alias}.lead_ms * interval '1 millisecond')`;

export function clockOf(row: ClockColumns): BookClock | undefined {
  if (row.clock_mode === null) return undefined;
  return { mode: row.clock_mode, leadMs: Number(row.clock_lead_ms), standsAt: row.clock_stands_at };
}

/** The clocks of those books that have one of their own. */
export async function readClocks(
  sql: Sql,
  books: readonly BookId[],
): Promise<ReadonlyMap<BookId, BookClock>> {
  const rows = await sql<ClockColumns & { book_id: string }>(
    `select book_id, mode as clock_mode, lead_ms as clock_lead_ms, stands_at as clock_stands_at
     from book_clock
     where book_id = any ($1::uuid[])`,
    [[...new Set(books)].map(uuidOf)],
  );
  return new Map(
    rows.flatMap((row) => {
      const clock = clockOf(row);
      return clock === undefined ? [] : [[idOf("book", row.book_id), clock] as const];
    }),
  );
}

/** The time in a book when it is `realNow` outside. */
export async function readTimeIn(sql: Sql, book: BookId, realNow = realTime()): Promise<Date> {
  const clock = (await readClocks(sql, [book])).get(book);
  return clock === undefined ? realNow : timeIn(clock, realNow);
}

/** Stores a book's clock, unless a later one is stored: undefined then. `first`: the book had none of its own. */
export async function saveClock(
  sql: Sql,
  book: BookId,
  { mode, leadMs, standsAt, sequence }: BookClock & { readonly sequence: number },
): Promise<{ readonly first: boolean } | undefined> {
  const [saved] = await sql<{ first: boolean }>(
    `insert into book_clock as c (book_id, sequence, mode, lead_ms, stands_at)
     values ($1, $2, $3, $4, $5)
     on conflict on constraint book_clock_pkey do update
       set sequence = excluded.sequence,
           mode = excluded.mode,
           lead_ms = excluded.lead_ms,
           stands_at = excluded.stands_at
       where c.sequence < excluded.sequence
     returning xmax = 0 as first`,
    [uuidOf(book), sequence, mode, leadMs, standsAt],
  );
  return saved;
}

/** The clocks of all books that have one of their own. */
export async function readAllClocks(sql: Sql): Promise<ReadonlyMap<BookId, BookClock>> {
  return readClocks(sql, await readBooksWithClock(sql));
}

/** Every book that has a clock of its own. */
export async function readBooksWithClock(sql: Sql): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>("select book_id from book_clock");
  return rows.map((row) => idOf("book", row.book_id));
}
