import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { timeInSql } from "../../platform/clock/book-clocks.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { RequirementsOfRange } from "../order/approvals.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { orderColumns, orderOf, type OrderRow } from "./order-rows.ts";

/** Finds the ids of the orders of book $1 that are submitted but not at their rail. Each part has an index. */
export const idsAwaitingHandOff = `
  select id
  from payment_order
  where book_id = $1
    and due_at is not null
    and phase = 'ReservingFunds'
  union all
  select id
  from payment_order
  where book_id = $1
    and phase in ('AwaitingApproval', 'AwaitingWindow')`;

/** Those orders, the first created ones first: a change of the approval policy concerns them. */
export async function listAwaitingHandOff(sql: Sql, book: BookId, limit: number): Promise<PaymentOrder[]> {
  const rows = await sql<OrderRow>(
    `select ${orderColumns}
     from payment_order
     where book_id = $1
       and phase in ('ReservingFunds', 'AwaitingApproval', 'AwaitingWindow')
       and id in (${idsAwaitingHandOff})
     order by id
     limit $2`,
    [uuidOf(book), limit],
  );
  return rows.map(orderOf);
}

/**
 * Raises the requirements of the same orders as `raisedRequirements` does, in one statement: a book may have hundreds
 * of thousands of them, of which a policy seldom raises any. Locks those that it raises, in id order like every batch
 * of orders; the conditions are checked again, because an order may have gone on while its lock was awaited.
 */
export async function raiseAwaitingHandOff(
  sql: Sql,
  book: BookId,
  requirements: readonly RequirementsOfRange[],
  { now, realNow }: { readonly now: Date; readonly realNow: Date },
): Promise<void> {
  await sql(
    `with requirements as (
       select *
       from unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[], $6::jsonb[], $7::boolean[])
         as r (rail, above_cents, up_to_cents, required, reasons, makers_may_approve)
     ),
     found as materialized (
       ${isRaisedIn("phase = 'ReservingFunds' and due_at is not null")}
       union all
       ${isRaisedIn("phase in ('AwaitingApproval', 'AwaitingWindow')")}
     ),
     raised as (
       select o.book_id, o.id, r.required, r.reasons, r.makers_may_approve
       from payment_order o
       join requirements r on ${isInRange}
       where o.book_id = $1
         and o.id = any (array(select id from found))
         and o.phase in ('ReservingFunds', 'AwaitingApproval', 'AwaitingWindow')
         and ${isRaised}
       order by o.id
       for update of o
     )
     update payment_order o
     set progress = jsonb_set(o.progress, '{approvals}',
           (o.progress -> 'approvals')
           || case when ${needsMore}
                then jsonb_build_object('required', r.required, 'reasons', r.reasons)
                else '{}' end
           || jsonb_build_object(
                'makersMayApprove', r.makers_may_approve and ${makersMayApprove},
                'raisedAt', $8::text)),
         updated_at = $9
     from raised r
     where o.book_id = r.book_id
       and o.id = r.id`,
    [
      uuidOf(book),
      requirements.map(({ rail }) => rail),
      requirements.map(({ aboveCents }) => aboveCents),
      requirements.map(({ upToCents }) => upToCents),
      requirements.map(({ required }) => required),
      requirements.map(({ reasons = [] }) => JSON.stringify(reasons)),
      requirements.map(({ makersMayApprove: may }) => may),
      now.toISOString(),
      realNow,
    ],
  );
}

const isRaisedIn = (which: string) => `
  select id
  from payment_order o
  join requirements r on ${isInRange}
  where book_id = $1
    and ${which}
    and ${isRaised}`;
const isInRange = `o.rail = r.rail
  and o.amount_cents > r.above_cents
  and o.amount_cents <= r.up_to_cents`;
const needsMore = "(o.progress #>> '{approvals,required}')::int < r.required";
const makersMayApprove = "coalesce((o.progress #>> '{approvals,makersMayApprove}')::boolean, false)";
const isRaised = `(${needsMore} or not r.makers_may_approve and ${makersMayApprove})`;

/** The book's orders that wait for approval, those that were created first. */
export async function listAwaitingApproval(sql: Sql, book: BookId, limit: number): Promise<PaymentOrder[]> {
  const rows = await sql<OrderRow>(
    `select ${orderColumns}
     from payment_order
     where book_id = $1
       and phase = 'AwaitingApproval'
     order by id
     limit $2`,
    [uuidOf(book), limit],
  );
  return rows.map(orderOf);
}

/** How many orders of the book wait for approval, counted up to `most`. */
export async function countAwaitingApproval(sql: Sql, book: BookId, most: number): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int as count
     from (
       select
       from payment_order
       where book_id = $1
         and phase = 'AwaitingApproval'
       limit $2
     ) waiting`,
    [uuidOf(book), most],
  );
  return row?.count ?? 0;
}

/** How many orders a transaction makes due: about a tenth of a second. */
const batchSize = 1_000;

/**
 * Lets a worker make the book's orders that wait at the hand-off gate due, so that the phase timeouts evaluate it again:
 * now in real time, or on the book's clock. It begins after the commit, and makes a thousand due in each transaction
 * (`continueRecheck`). So what changes their book takes no longer, and can't fail, because of them.
 */
export async function recheckAwaitingHandOff(sql: Sql, book: BookId): Promise<void> {
  await sql(
    `insert into gate_recheck (book_id, after_id)
     values ($1, $2)
     on conflict on constraint gate_recheck_pkey do update
       set after_id = excluded.after_id`,
    [uuidOf(book), belowAllUuids],
  );
}

/** Books with orders that are still to be made due, at most `limit`. */
export async function booksToRecheck(sql: Sql, limit: number): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>("select book_id from gate_recheck limit $1", [limit]);
  return rows.map((row) => idOf("book", row.book_id));
}

/**
 * Makes the next batch of a book due. Does nothing if another instance does so. Skips locked orders: waiting for them
 * could deadlock, and they time out by themselves.
 */
export async function continueRecheck(sql: Sql, book: BookId, realNow: Date): Promise<void> {
  const [recheck] = await sql<{ after_id: string }>(
    "select after_id from gate_recheck where book_id = $1 for update skip locked",
    [uuidOf(book)],
  );
  if (recheck === undefined) return;
  const last = await makeBatchDue(sql, book, recheck.after_id, realNow);
  if (last === null) await sql("delete from gate_recheck where book_id = $1", [uuidOf(book)]);
  else await sql("update gate_recheck set after_id = $2 where book_id = $1", [uuidOf(book), last]);
}

/** Returns the id of the last order of the batch, or null if no order comes after it. */
async function makeBatchDue(sql: Sql, book: BookId, after: string, realNow: Date): Promise<string | null> {
  const [batch] = await sql<{ count: number; last_id: string | null }>(
    `with next as (
       select id
       from (${nextIn("AwaitingApproval")} union all ${nextIn("AwaitingWindow")}) each
       order by id
       limit $4
     ),
     made_due as (${makeDue("phase in ('AwaitingApproval', 'AwaitingWindow') and id in (select id from next)")})
     select count(*)::int as count, (select id from next order by id desc limit 1) as last_id
     from next`,
    [uuidOf(book), realNow, after, batchSize],
  );
  return batch?.count === batchSize ? batch.last_id : null;
}

const nextIn = (phase: string) => `
  (select id
   from payment_order
   where book_id = $1
     and phase = '${phase}'
     and id > $3
   order by id
   limit $4)`;

/** The time in the book at which the rest of its orders are due, or null if all have been made due. */
export const recheckIsDueAt = `
  select ${timeInSql("b", "$2")}
  from gate_recheck g
  join book_clock b on b.book_id = g.book_id
  where g.book_id = $1`;

/** Makes the orders that wait for returns due: their completion delay has changed. Skips locked orders. */
export async function makeAwaitingReturnsDue(sql: Sql, book: BookId, realNow: Date): Promise<void> {
  // The index of kinds has rail and direction before the status.
  await sql(
    makeDue(`rail in ('Ach', 'SameDayAch')
      and direction in ('Credit', 'Debit')
      and status = 'Processing'
      and sequence >= 0
      and phase = 'AwaitingReturns'`),
    [uuidOf(book), realNow],
  );
}

const makeDue = (which: string) => `
  update payment_order o
  set due_at = case when b.book_id is null then $2::timestamptz end,
      due_at_in_book = ${timeInSql("b", "$2")}
  from (
    select book_id, id
    from payment_order
    where book_id = $1
      and ${which}
    for update skip locked
  ) waiting
  left join book_clock b on b.book_id = waiting.book_id
  where o.book_id = waiting.book_id
    and o.id = waiting.id`;
