import { type BookId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { orderColumns, orderOf, type OrderRow } from "./order-rows.ts";

/**
 * Orders that are submitted but not at their rail: a change of the approval policy concerns them. All of them have a
 * timeout, so the partial index on due_at finds them; it holds only orders under way.
 */
const waiting = `book_id = $1
       and due_at is not null
       and phase in ('ReservingFunds', 'AwaitingApproval', 'AwaitingWindow')`;

/** The book's waiting orders after the id `after`, locked in id order like every batch of orders. */
export async function lockAwaitingHandOff(
  sql: Sql,
  book: BookId,
  after: PaymentOrderId | null,
  limit: number,
): Promise<PaymentOrder[]> {
  const rows = await sql<OrderRow>(
    `select ${orderColumns}
     from payment_order
     where ${waiting}
       and id > $2
     order by id
     limit $3
     for update`,
    [uuidOf(book), after === null ? belowAllUuids : uuidOf(after), limit],
  );
  return rows.map(orderOf);
}

/**
 * Makes the book's waiting orders due, so that the phase timeouts evaluate the gate again. Skips locked orders:
 * waiting for them could deadlock, and they time out by themselves.
 */
export async function makeAwaitingHandOffDue(sql: Sql, book: BookId, at: Date): Promise<void> {
  await sql(makeDue(""), [uuidOf(book), at]);
}

/** The same for the orders that this principal has approved: its approvals may not count any more, or again. */
export async function makeApprovedByDue(sql: Sql, book: BookId, principal: string, at: Date): Promise<void> {
  const approved = JSON.stringify({ approvals: { given: [{ principal }] } });
  await sql(makeDue("and progress @> $3::jsonb"), [uuidOf(book), at, approved]);
}

const makeDue = (filter: string) => `
  update payment_order
  set due_at = $2
  where (book_id, id) in (
    select book_id, id from payment_order
    where ${waiting}
      and phase <> 'ReservingFunds'
      ${filter}
    for update skip locked
  )`;
