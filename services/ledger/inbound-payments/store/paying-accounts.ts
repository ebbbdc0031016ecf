import {
  type BookId,
  idOf,
  type LedgerAccountId,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * The tenant's account that each order's hold took the money from, and whether it is closed. An order's transaction has
 * the order's own uuid. Orders without a hold in their book are left out, and those whose hold was released: if
 * the bank paid them anyway, the money came from Suspense.
 */
export async function readPayingAccounts(
  sql: Sql,
  orders: readonly { readonly book: BookId; readonly orderId: PaymentOrderId }[],
): Promise<ReadonlyMap<PaymentOrderId, { readonly id: LedgerAccountId; readonly isClosed: boolean }>> {
  if (orders.length === 0) return new Map();
  const rows = await sql<{ order_id: string; account_id: string; closed: boolean }>(
    `select u.order_id, a.account_id, a.closed_at is not null as closed
     from (select distinct * from unnest($1::uuid[], $2::uuid[])) as u (book_id, order_id)
     cross join lateral (
       select max(x.seq) filter (where x.kind = 'Hold' and x.order_id = u.order_id) as seq
       from (
         -- By its id alone, in every partition (read_transactions).
         select y.book_id, y.seq, y.kind, y.order_id
         from journal y
         where y.transaction_id = u.order_id
         offset 0
       ) x
       where x.book_id = u.book_id
       having bool_and(x.kind <> 'Release')
     ) j
     cross join lateral (
       select x.account_id
       from entry x
       where x.book_id = u.book_id and x.seq = j.seq and x.direction = 'Debit'
       offset 0
     ) e
     cross join lateral (
       select x.account_id, x.closed_at
       from account x
       where x.book_id = u.book_id and x.account_id = e.account_id and x.class = 'Tenant'
       offset 0
     ) a`,
    [
      arrayLiteral(orders.map(({ book }) => uuidOf(book))),
      arrayLiteral(orders.map(({ orderId }) => uuidOf(orderId))),
    ],
  );
  return new Map(
    rows.map((row) => [idOf("po", row.order_id), { id: idOf("la", row.account_id), isClosed: row.closed }]),
  );
}

/** Those of the orders whose hold was released: Suspense paid what the bank paid for them afterwards. */
export async function readReleasedHolds(
  sql: Sql,
  orders: readonly { readonly book: BookId; readonly orderId: PaymentOrderId }[],
): Promise<ReadonlySet<PaymentOrderId>> {
  if (orders.length === 0) return new Set();
  const rows = await sql<{ order_id: string }>(
    `select u.order_id
     from (select distinct * from unnest($1::uuid[], $2::uuid[])) as u (book_id, order_id)
     cross join lateral (
       select y.book_id, y.kind
       from journal y
       where y.transaction_id = u.order_id
       offset 0
     ) x
     where x.book_id = u.book_id
       and x.kind = 'Release'`,
    [
      arrayLiteral(orders.map(({ book }) => uuidOf(book))),
      arrayLiteral(orders.map(({ orderId }) => uuidOf(orderId))),
    ],
  );
  return new Set(rows.map(({ order_id }) => idOf("po", order_id)));
}
