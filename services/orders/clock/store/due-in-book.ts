import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { rails } from "../../../../contracts/rails/rails.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import { recheckIsDueAt } from "../../rechecks/store/rechecks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** When the next order of a book is due on the book's clock: at once while more are being made due. */
export async function nextDueInBook(sql: Sql, book: BookId, realNow: Date): Promise<Date | null> {
  const [row] = await sql<{ due_at: Date | null }>(
    `select least(
       (${recheckIsDueAt}),
       (select due_at_in_book
        from payment_order
        where book_id = $1
          and due_at_in_book is not null
        order by due_at_in_book
        limit 1)
     ) as due_at`,
    [uuidOf(book), realNow],
  );
  return row?.due_at ?? null;
}

/**
 * Moves what waits in a book over to the clock that has just begun; until now its time was real time. Every order under
 * way is locked first, in id order: whoever holds one may have read that the book has no clock, and whoever locks one
 * later reads the clock. So the update, which is a statement of its own, sees all of them as they will be.
 */
export async function moveDueTimesToBook(sql: Sql, book: BookId): Promise<void> {
  // All rails and directions: the index of kinds has them before the status.
  await sql(
    `select count(*)
     from (
       select id
       from payment_order
       where book_id = $1
         and rail = any ($2::text[])
         and direction in ('Credit', 'Debit')
         and status in ('Submitted', 'Pending', 'Processing')
         and sequence >= 0
       order by id
       for update
     ) locked`,
    [uuidOf(book), rails],
  );
  await sql(
    `update payment_order
     set due_at_in_book = due_at,
         due_at = null
     where book_id = $1
       and rail = any ($2::text[])
       and direction in ('Credit', 'Debit')
       and status in ('Pending', 'Processing')
       and sequence >= 0
       and phase in ('AwaitingApproval', 'AwaitingWindow', 'HandingOff', 'InFlight', 'AwaitingReturns')
       and due_at is not null`,
    [uuidOf(book), rails],
  );
}

/**
 * In a book whose clock is now Instant, no order waits for a window, its rail or returns: those that do are due. What
 * waits for its rail asks it.
 */
export async function endWaitsOfInstantBook(sql: Sql, book: BookId, realNow: Date): Promise<void> {
  await sql(
    `update payment_order o
     set due_at_in_book = ${timeInSql("b", "$2")}
     from book_clock b
     where b.book_id = $1
       and b.mode = 'Instant'
       and o.book_id = b.book_id
       and o.id in (
         select id
         from payment_order
         where book_id = $1
           and due_at_in_book is not null
           and phase in ('AwaitingWindow', 'HandingOff', 'InFlight', 'AwaitingReturns')
         order by id
         for update
       )`,
    [uuidOf(book), realNow],
  );
}
