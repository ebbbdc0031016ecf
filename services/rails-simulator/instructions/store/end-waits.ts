import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { instantGapMs } from "../domain/timetable.ts";

/**
 * In a book whose clock is now Instant, no payment waits for a settlement time or the end of a return window: its steps
 * are due now, one soon after the other. Locks the instructions in order of id.
 */
export async function endWaitsOfInstantBook(sql: Sql, book: BookId, realNow: Date): Promise<void> {
  await sql(
    `with waiting as (
       select i.order_id, ${timeInSql("b", "$2")} as now
       from book_clock b
       join instruction i on i.book_id = b.book_id
       where b.book_id = $1
         and b.mode = 'Instant'
         and i.order_id in (
           select order_id from instruction where book_id = $1 and on_book_clock and next_due_at is not null
           union all
           select order_id from instruction where book_id = $1 and on_book_clock and silenced
         )
       order by i.order_id
       for update of i
     ),
     due as (
       select s.order_id, s.number, least(
         s.due_at,
         w.now + ${String(instantGapMs)} * interval '1 millisecond'
           * (row_number() over (partition by s.order_id order by s.due_at, s.number) - 1)
       ) as due_at
       from waiting w
       join step s on s.order_id = w.order_id
       where s.published_at is null
         and s.due_at is not null
     ),
     moved as (
       update step s
       set due_at = due.due_at
       from due
       where s.order_id = due.order_id
         and s.number = due.number
     )
     update instruction i
     set next_due_at = next.due_at
     from (select order_id, min(due_at) as due_at from due group by order_id) next
     where i.order_id = next.order_id
       and not i.silenced`,
    [uuidOf(book), realNow],
  );
}

/**
 * Moves what waits in a book over to the clock that has just begun; until now its time was real time. Locks the
 * instructions in order of id.
 */
export async function moveWaitsToBook(sql: Sql, book: BookId): Promise<void> {
  await sql(
    `update instruction i
     set on_book_clock = true
     from (
       select order_id
       from instruction
       where order_id in (
           select order_id from instruction where book_id = $1 and next_due_at is not null and not on_book_clock
           union all
           select order_id from instruction where book_id = $1 and silenced and not on_book_clock
         )
       order by order_id
       for update
     ) waiting
     where i.order_id = waiting.order_id`,
    [uuidOf(book)],
  );
}
