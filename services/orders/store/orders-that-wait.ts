import { type BookId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { timeInSql } from "../../platform/clock/book-clocks.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { orderColumns, orderOf, type OrderRow } from "./order-rows.ts";

/**
 * The book's orders that are submitted but not at their rail, after the id `after`: a change of the approval policy
 * concerns them. Locked in id order like every batch of orders. Each part of the subquery has an index; the phase is
 * compared again, because an order may have gone on while its lock was awaited.
 */
export async function lockAwaitingHandOff(
  sql: Sql,
  book: BookId,
  after: PaymentOrderId | null,
  limit: number,
): Promise<PaymentOrder[]> {
  const rows = await sql<OrderRow>(`${awaitingHandOff} for update`, [
    uuidOf(book),
    after === null ? belowAllUuids : uuidOf(after),
    limit,
  ]);
  return rows.map(orderOf);
}

/** The same orders, those that were created first, without a lock. */
export async function listAwaitingHandOff(sql: Sql, book: BookId, limit: number): Promise<PaymentOrder[]> {
  return (await sql<OrderRow>(awaitingHandOff, [uuidOf(book), belowAllUuids, limit])).map(orderOf);
}

const awaitingHandOff = `
     select ${orderColumns}
     from payment_order
     where book_id = $1
       and phase in ('ReservingFunds', 'AwaitingApproval', 'AwaitingWindow')
       and id in (
         select id
         from payment_order
         where book_id = $1
           and due_at is not null
           and phase = 'ReservingFunds'
           and id > $2
         union all
         select id
         from payment_order
         where book_id = $1
           and phase in ('AwaitingApproval', 'AwaitingWindow')
           and id > $2
       )
     order by id
     limit $3`;

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
