import { type BookId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { orderColumns, orderOf, type OrderRow } from "./order-rows.ts";

/**
 * Submitted, and not at the rail yet: what a change of the approval policy concerns. All of them have a deadline, so
 * they are found by its partial index, which holds only what is under way.
 */
const waiting = `book_id = $1
       and due_at is not null
       and phase in ('ReservingFunds', 'AwaitingApproval', 'AwaitingWindow')`;

/** The book's waiting orders behind `after`, locked in id order like every other batch of orders. */
export async function lockAwaitingRelease(
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
 * Makes the book's waiting orders due, so that the chaser asks the gate again. One that is locked is being looked at;
 * waiting for it could end in a deadlock, and its own deadline comes.
 */
export async function makeAwaitingReleaseDue(sql: Sql, book: BookId, at: Date): Promise<void> {
  await sql(
    `update payment_order
     set due_at = $2
     where (book_id, id) in (
       select book_id, id from payment_order
       where ${waiting}
         and phase <> 'ReservingFunds'
       for update skip locked
     )`,
    [uuidOf(book), at],
  );
}
