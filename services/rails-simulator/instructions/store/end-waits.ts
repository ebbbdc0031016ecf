import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";
import { instantGapMs } from "../domain/timetable.ts";
import type { HandOffPlace } from "./payment-rechecks.ts";

/**
 * The next payments of a book that wait for a time, on its clock or still in real time, in the order of the hand-offs.
 * A union, because those that are due and those that are silenced have an index each.
 */
export async function nextWaiting(
  sql: Sql,
  book: BookId,
  { onBookClock, after, limit }: { onBookClock: boolean; after: HandOffPlace; limit: number },
): Promise<HandOffPlace[]> {
  const clock = onBookClock ? "on_book_clock" : "not on_book_clock";
  const columns = `coalesce(cause_id, '${belowAllUuids}') as cause_id, order_id`;
  const rows = await sql<{ cause_id: string; order_id: string }>(
    `select cause_id, order_id
     from (
       select ${columns} from instruction where book_id = $1 and ${clock} and next_due_at is not null
       union all
       select ${columns} from instruction where book_id = $1 and ${clock} and silenced
     ) waiting
     where (cause_id, order_id) > ($2::uuid, $3::uuid)
     order by cause_id, order_id
     limit $4`,
    [uuidOf(book), after.causeId, after.orderId, limit],
  );
  return rows.map((row) => ({ causeId: row.cause_id, orderId: row.order_id }));
}

/**
 * In a book whose clock is now Instant, no payment waits for a settlement time or the end of a return window: the steps
 * of these are due now, one soon after the other. Locks the instructions in order of id.
 */
export async function endWaitsOfInstantBook(
  sql: Sql,
  book: BookId,
  waiting: readonly HandOffPlace[],
  realNow: Date,
): Promise<void> {
  await sql(
    `with waiting as (
       select i.order_id, ${timeInSql("b", "$2")} as now
       from book_clock b
       join instruction i on i.book_id = b.book_id
       where b.book_id = $1
         and b.mode = 'Instant'
         and i.order_id = any ($3::uuid[])
         and (i.next_due_at is not null or i.silenced)
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
    [uuidOf(book), realNow, uuidArray(waiting.map(({ orderId }) => orderId))],
  );
}

/**
 * Moves these payments over to the clock that their book has got; until now their time was real time. Locks the
 * instructions in order of id.
 */
export async function moveWaitsToBook(sql: Sql, waiting: readonly HandOffPlace[]): Promise<void> {
  await sql(
    `update instruction i
     set on_book_clock = true
     from (
       select order_id
       from instruction
       where order_id = any ($1::uuid[])
       order by order_id
       for update
     ) waiting
     where i.order_id = waiting.order_id`,
    [uuidArray(waiting.map(({ orderId }) => orderId))],
  );
}
