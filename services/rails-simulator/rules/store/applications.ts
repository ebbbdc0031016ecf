import {
  type BookId,
  idOf,
  type InjectionId,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * The orders that no rule acts on any more, each with the rule that has acted on it: null if it is at its rail without
 * one, or if a call waits for its hand-off.
 */
export async function readDecided(
  sql: Sql,
  orderIds: readonly PaymentOrderId[],
): Promise<ReadonlyMap<PaymentOrderId, InjectionId | null>> {
  const rows = await sql<{ order_id: string; injection_id: string | null }>(
    `select wanted.order_id, l.injection_id
     from unnest($1::uuid[]) as wanted (order_id)
     left join lateral (
       select injection_id
       from simulation_log
       where order_id = wanted.order_id
         and kind = 'InjectionApplied'
       offset 0
     ) l on true
     where l.injection_id is not null
       or exists (select from instruction where order_id = wanted.order_id)`,
    [orderIds.map(uuidOf)],
  );
  return new Map(
    rows.map((row) => [
      idOf("po", row.order_id),
      row.injection_id === null ? null : idOf("inj", row.injection_id),
    ]),
  );
}

/** Locks the rows of books that have had rules, in order of id. Others count no orders of them until the commit. */
export async function lockBooksOfRules(sql: Sql, books: ReadonlySet<BookId>): Promise<void> {
  await sql(
    `select 1
     from injection_book
     where book_id = any ($1::uuid[])
     order by book_id
     for update`,
    [[...books].map(uuidOf)],
  );
}

/**
 * Counts orders without an external id, and returns the last number of each book. Books in order of id, so that two
 * batches never deadlock.
 */
export async function countOrders(
  sql: Sql,
  orders: ReadonlyMap<BookId, number>,
): Promise<ReadonlyMap<BookId, number>> {
  const counted = [...orders].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rows = await sql<{ book_id: string; orders: bigint }>(
    `insert into injection_book as b (book_id, rules, changes, orders)
     select book_id, 0, 0, orders
     from unnest($1::uuid[], $2::int[]) as c (book_id, orders)
     on conflict on constraint injection_book_pkey do update
       set orders = b.orders + excluded.orders
     returning book_id, orders`,
    [counted.map(([book]) => uuidOf(book)), counted.map(([, count]) => count)],
  );
  return new Map(rows.map((row) => [idOf("book", row.book_id), Number(row.orders)]));
}
