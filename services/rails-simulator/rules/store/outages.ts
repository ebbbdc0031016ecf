import { type BookId, idOf, type InjectionId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Rail } from "../../../../contracts/rails/rails.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** An outage whose time has come. */
export interface EndedOutage {
  readonly book: BookId;
  readonly id: InjectionId;
  readonly until: Date;
}

const isActiveOutage = "status = 'Active' and fault = 'Outage'";

/** The rails of the book that an outage has silenced. */
export async function readSilentRails(sql: Sql, book: BookId): Promise<{ readonly rail: Rail }[]> {
  return sql<{ rail: Rail }>(
    `select distinct match_value as rail
     from injection
     where book_id = $1
       and ${isActiveOutage}`,
    [uuidOf(book)],
  );
}

/** Returns a test of whether an outage has silenced a rail of one of these books. */
export async function readIsSilent(
  sql: Sql,
  books: readonly BookId[],
): Promise<(book: BookId, rail: Rail) => boolean> {
  if (books.length === 0) return () => false;
  const rows = await sql<{ book_id: string; rail: Rail }>(
    `select book_id, match_value as rail
     from injection
     where book_id = any ($1::uuid[])
       and ${isActiveOutage}`,
    [[...new Set(books)].map(uuidOf)],
  );
  const silent = new Set(rows.map(({ book_id: book, rail }) => `${idOf("book", book)} ${rail}`));
  return (book, rail) => silent.has(`${book} ${rail}`);
}

/**
 * Outages whose `until` is over when it is `at` in real time; in a book with a clock of its own, on that clock. None of
 * the books `except`.
 */
export async function readEndedOutages(
  sql: Sql,
  at: Date,
  { limit, except = [] }: { readonly limit: number; readonly except?: readonly BookId[] },
): Promise<EndedOutage[]> {
  const rows = await sql<{ book_id: string; injection_id: string; until: Date }>(
    `select i.book_id, i.injection_id, i.until
     from injection i
     left join book_clock b on b.book_id = i.book_id
     where i.status = 'Active'
       and i.fault = 'Outage'
       and i.until <= coalesce(${timeInSql("b", "$1")}, $1::timestamptz)
       and i.book_id <> all ($3::uuid[])
     order by i.until
     limit $2`,
    [at.toISOString(), limit, except.map(uuidOf)],
  );
  return rows.map((row) => ({
    book: idOf("book", row.book_id),
    id: idOf("inj", row.injection_id),
    until: row.until,
  }));
}

/** When the next outage of the book ends without a call: its `until`. */
export async function nextOutageEnd(sql: Sql, book: BookId): Promise<Date | null> {
  const [row] = await sql<{ until: Date | null }>(
    `select min(until) as until
     from injection
     where book_id = $1
       and ${isActiveOutage}`,
    [uuidOf(book)],
  );
  return row?.until ?? null;
}
