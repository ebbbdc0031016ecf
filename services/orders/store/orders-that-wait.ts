import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
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
