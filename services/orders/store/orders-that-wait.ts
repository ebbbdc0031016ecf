import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import { timeInSql } from "../../platform/clock/book-clocks.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { RequirementsOfRange } from "../order/approvals.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { orderColumns, orderOf, type OrderRow } from "./order-rows.ts";

/**
 * The condition for the book's orders that are submitted but not at their rail: a change of the approval policy
 * concerns them. Each part of the subquery has an index; the phase is compared again, because an order may have gone on
 * while its lock was awaited.
 */
const isAwaitingHandOff = `
  book_id = $1
  and phase in ('ReservingFunds', 'AwaitingApproval', 'AwaitingWindow')
  and id in (
    select id
    from payment_order
    where book_id = $1
      and due_at is not null
      and phase = 'ReservingFunds'
    union all
    select id
    from payment_order
    where book_id = $1
      and phase in ('AwaitingApproval', 'AwaitingWindow')
  )`;

/** The book's orders that are submitted but not at their rail, those that were created first. */
export async function listAwaitingHandOff(sql: Sql, book: BookId, limit: number): Promise<PaymentOrder[]> {
  const rows = await sql<OrderRow>(
    `select ${orderColumns} from payment_order where ${isAwaitingHandOff} order by id limit $2`,
    [uuidOf(book), limit],
  );
  return rows.map(orderOf);
}

/**
 * Raises the requirements of the same orders as `raisedRequirements` does, in one statement: a book may have hundreds
 * of thousands of them, of which a policy seldom raises any. Locks those that it raises, in id order like every batch
 * of orders.
 */
export async function raiseAwaitingHandOff(
  sql: Sql,
  book: BookId,
  requirements: readonly RequirementsOfRange[],
  { now, realNow }: { readonly now: Date; readonly realNow: Date },
): Promise<void> {
  await sql(
    `with raised as (
       select o.book_id, o.id, r.required, r.reasons, r.makers_may_approve
       from (
         select *
         from unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[], $6::jsonb[], $7::boolean[])
       ) as r (rail, above_cents, up_to_cents, required, reasons, makers_may_approve)
       join payment_order o
         on o.rail = r.rail
         and o.amount_cents > r.above_cents
         and o.amount_cents <= r.up_to_cents
       where ${isAwaitingHandOff}
         and (${needsMore} or not r.makers_may_approve and ${makersMayApprove})
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

const needsMore = "(o.progress #>> '{approvals,required}')::int < r.required";
const makersMayApprove = "coalesce((o.progress #>> '{approvals,makersMayApprove}')::boolean, false)";

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

/**
 * Makes the book's orders that wait at the hand-off gate due, so that the phase timeouts evaluate it again: now in real
 * time, or on the book's clock. Skips locked orders: waiting for them could deadlock, and they time out by themselves.
 */
export async function makeAwaitingHandOffDue(sql: Sql, book: BookId, realNow: Date): Promise<void> {
  await sql(makeDue(atGate), [uuidOf(book), realNow]);
}

/** The same for the orders that this principal has approved: its approvals may not count any more, or again. */
export async function makeApprovedByDue(
  sql: Sql,
  book: BookId,
  principal: string,
  realNow: Date,
): Promise<void> {
  const approved = JSON.stringify({ approvals: { given: [{ principal }] } });
  await sql(makeDue(`${atGate} and progress @> $3::jsonb`), [uuidOf(book), realNow, approved]);
}

/** The same for the orders that wait for returns: their completion delay has changed. */
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

const atGate = "phase in ('AwaitingApproval', 'AwaitingWindow')";

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
