import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { BookFilter } from "../../../platform/handlers/batch-by-book.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import {
  type InstructionRow,
  rowColumns,
  type StoredInstruction,
  toStoredInstruction,
} from "./instructions.ts";

export interface DueClaim {
  /** Of the instructions in real time, and as many of those in books with a clock of their own. */
  readonly limit: number;
  readonly maxPerBook: number;
  /** The book where the last claim ended: of the books with a clock, only those with a greater id are claimed. */
  readonly afterBook: string;
  readonly filter: BookFilter;
}

/** `onBookClock`: due on the clock of its book. */
export type DueInstruction = StoredInstruction & { readonly onBookClock: boolean };

/**
 * Locks instructions with a step due when it is `at` in real time; skips rows that another instance has locked. In a
 * book with a clock of its own the book's time counts, and payments that are due at one time come in the order in which
 * they were handed off. Those books come in order of id. A payment that has still to be moved over to the first clock
 * of its book is not due.
 */
export async function claimDue(
  sql: Sql,
  at: Date,
  { limit, maxPerBook, afterBook, filter }: DueClaim,
): Promise<DueInstruction[]> {
  const books = [filter.books.map(uuidOf), filter.only];
  const [inRealTime, inBooksWithClock] = await Promise.all([
    sql<InstructionRow>(
      `select ${rowColumns}
       from instruction
       where next_due_at <= $1
         and not on_book_clock
         and (book_id = any ($3::uuid[])) is not distinct from $4
         and book_id <> all (array(select r.book_id from payment_recheck r where r.kind = 'FirstClock'))
       order by next_due_at
       limit $2
       for update skip locked`,
      [at, limit, ...books],
    ),
    sql<InstructionRow>(
      `select i.*
       from book_clock b
       cross join lateral (
         select ${rowColumns}
         from instruction
         where book_id = b.book_id
           and on_book_clock
           and next_due_at <= ${timeInSql("b", "$1")}
         order by next_due_at, cause_id
         limit $5
         for update skip locked
       ) i
       where (b.book_id = any ($3::uuid[])) is not distinct from $4
         and b.book_id > $6
       order by b.book_id
       limit $2`,
      [at, limit, ...books, maxPerBook, afterBook],
    ),
  ]);
  return [
    ...inRealTime.map((row) => ({ ...toStoredInstruction(row), onBookClock: false })),
    ...inBooksWithClock.map((row) => ({ ...toStoredInstruction(row), onBookClock: true })),
  ];
}

/** Books with a step due when it is `at` in real time, at most `limit`. */
export async function booksWithDueSteps(
  sql: Sql,
  at: Date,
  limit: number,
  filter: BookFilter,
): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    `(select distinct book_id
      from instruction
      where next_due_at <= $1
        and not on_book_clock
        and (book_id = any ($3::uuid[])) is not distinct from $4
      limit $2)
     union all
     (select book_id
      from book_clock b
      where (b.book_id = any ($3::uuid[])) is not distinct from $4
        and exists (
          select from instruction i
          where i.book_id = b.book_id
            and i.on_book_clock
            and i.next_due_at <= ${timeInSql("b", "$1")}
        )
      limit $2)`,
    [at.toISOString(), limit, filter.books.map(uuidOf), filter.only],
  );
  return rows.map((row) => idOf("book", row.book_id));
}

/**
 * When the next step is due, in real time, or null if none is. Of a book with a clock of its own only what is due
 * already counts, as due at `at`. One cheap read, so that an idle worker opens no transaction.
 */
export async function readNextDue(sql: Sql, at: Date): Promise<Date | null> {
  // `least` leaves out nulls.
  const [row] = await sql<{ next: Date | null }>(
    `select least(
       (select min(next_due_at) from instruction where not on_book_clock),
       (
         select $1::timestamptz
         where exists (
           select from book_clock b
           where exists (
             select from instruction i
             where i.book_id = b.book_id
               and i.on_book_clock
               and i.next_due_at <= ${timeInSql("b", "$1")}
           )
         )
       )
     ) as next`,
    [at.toISOString()],
  );
  return row?.next ?? null;
}
