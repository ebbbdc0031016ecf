import { type BookId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { PaymentOrder, StatusChange } from "../order/payment-order.ts";
import { arrayLiteral } from "../../platform/persistence/array-literal.ts";
import { idArray } from "../../platform/persistence/uuid-array.ts";
import type { SubmittedTermsCache } from "./submitted-terms-cache.ts";
import {
  fixedColumnsUnless,
  insertColumns,
  orderColumns,
  orderOf,
  orderRecord,
  type OrderRow,
  rowOf,
  stateColumns,
  stateOf,
} from "./order-rows.ts";

export interface OrderKey {
  readonly book: BookId;
  readonly id: PaymentOrderId;
}

/** Inserts new orders in one statement. */
export async function insertOrders(sql: Sql, orders: readonly PaymentOrder[]): Promise<void> {
  if (orders.length === 0) return;
  await sql(
    `insert into payment_order (${insertColumns})
     select * from jsonb_to_recordset($1::jsonb) as o (${orderRecord})`,
    [JSON.stringify(orders.map(rowOf))],
  );
}

/**
 * Reads orders and locks them in id order, so that two instances that need the same orders take turns and never
 * deadlock. Orders of another book are not found. The lateral subquery probes the key once per order, in that order;
 * with a join the planner could scan the table once its statistics suggest it. `terms` is a cache of submitted terms:
 * of an order in it, only the state is read. Of the others, all columns come from the locked row, because another
 * statement, or another part of this one, could see them as they were before a Draft's last edit.
 */
export async function lockOrders(
  sql: Sql,
  keys: readonly OrderKey[],
  terms?: SubmittedTermsCache,
): Promise<Map<PaymentOrderId, PaymentOrder>> {
  const wanted = [...new Map(keys.map((key) => [`${key.book}/${key.id}`, key])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const cached = wanted.map(({ book, id }) => terms?.get(book, id));
  const rows = await sql<OrderRow & { position: number }>(
    `select o.*, k.position::int as position
     from unnest($1::uuid[], $2::uuid[], $3::boolean[]) with ordinality as k (book_id, id, is_cached, position)
     cross join lateral (
       select ${fixedColumnsUnless("k.is_cached")}, ${stateColumns}
       from payment_order p
       where p.book_id = k.book_id
         and p.id = k.id
       for update
     ) o`,
    [
      idArray(wanted.map(({ book }) => book)),
      idArray(wanted.map(({ id }) => id)),
      arrayLiteral(cached.map((order) => (order === undefined ? "f" : "t"))),
    ],
  );
  const orders = rows.map((row) => {
    const known = cached[row.position - 1];
    const order = known === undefined ? orderOf(row) : { ...known, ...stateOf(row) };
    terms?.add(order);
    return order;
  });
  return new Map(orders.map((order) => [order.id, order]));
}

/**
 * Updates what transitions change, which is never the terms. Each column travels as an array, the JSON of `progress` as
 * lines: a recordset of JSON costs Postgres a quarter of the statement, an array of JSON costs Node its quoting.
 */
export async function saveOrders(sql: Sql, orders: readonly PaymentOrder[]): Promise<void> {
  if (orders.length === 0) return;
  await sql(
    `update payment_order o
     set phase = n.phase,
         status = n.status,
         sequence = n.sequence,
         progress = n.progress,
         due_at = n.due_at,
         due_at_in_book = n.due_at_in_book,
         updated_at = n.updated_at
     from unnest(
       $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], string_to_array($6, e'\\n')::jsonb[],
       $7::timestamptz[], $8::timestamptz[], $9::timestamptz[]
     ) as n (book_id, id, phase, status, sequence, progress, due_at, due_at_in_book, updated_at)
     where o.book_id = n.book_id
       and o.id = n.id`,
    [
      idArray(orders.map(({ book }) => book)),
      idArray(orders.map(({ id }) => id)),
      arrayLiteral(orders.map(({ phase }) => phase)),
      arrayLiteral(orders.map(({ status }) => status)),
      arrayLiteral(orders.map(({ sequence }) => sequence)),
      // JSON.stringify writes no line break.
      orders.map(({ progress }) => JSON.stringify(progress)).join("\n"),
      arrayLiteral(orders.map(({ dueAt }) => dueAt?.toISOString() ?? null)),
      arrayLiteral(orders.map(({ dueAtInBook }) => dueAtInBook?.toISOString() ?? null)),
      arrayLiteral(orders.map(({ updatedAt }) => updatedAt.toISOString())),
    ],
  );
}

export async function insertHistory(
  sql: Sql,
  changes: readonly { order: PaymentOrder; change: StatusChange }[],
): Promise<void> {
  if (changes.length === 0) return;
  await sql(
    `insert into status_change (book_id, order_id, position, from_status, to_status, at, actor, reason)
     select * from unnest(
       $1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[]
     )`,
    [
      idArray(changes.map(({ order }) => order.book)),
      idArray(changes.map(({ order }) => order.id)),
      arrayLiteral(changes.map(({ change }) => change.position)),
      arrayLiteral(changes.map(({ change }) => change.from)),
      arrayLiteral(changes.map(({ change }) => change.to)),
      arrayLiteral(changes.map(({ change }) => change.at.toISOString())),
      changes.map(({ change }) => change.actor),
      changes.map(({ change }) => change.reason),
    ],
  );
}

/** History, read in the same statement: a separate one could return a status that the order does not have yet. */
export const historyColumn = `(
  select jsonb_agg(jsonb_build_object(
    'position', s.position, 'from', s.from_status, 'to', s.to_status,
    'at', s.at, 'actor', s.actor, 'reason', s.reason) order by s.position)
  from status_change s
  where s.book_id = o.book_id
    and s.order_id = o.id) as history`;

export interface HistoryColumn {
  history: (Omit<StatusChange, "at"> & { at: string })[] | null;
}

export function historyOf({ history }: HistoryColumn): StatusChange[] {
  return (history ?? []).map((change) => ({ ...change, at: new Date(change.at) }));
}

/** One order of the book with its history, or undefined. */
export async function readOrder(
  sql: Sql,
  book: BookId,
  id: PaymentOrderId,
): Promise<{ order: PaymentOrder; history: StatusChange[] } | undefined> {
  const [row] = await sql<OrderRow & HistoryColumn>(
    `select ${orderColumns}, ${historyColumn}
     from payment_order o
     where book_id = $1
       and id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return row === undefined ? undefined : { order: orderOf(row), history: historyOf(row) };
}

export async function orderExists(sql: Sql, book: BookId, id: PaymentOrderId): Promise<boolean> {
  const found = await sql(
    `select 1
     from payment_order
     where book_id = $1
       and id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return found.length > 0;
}

export async function readHistory(
  sql: Sql,
  orders: readonly PaymentOrder[],
): Promise<Map<PaymentOrderId, StatusChange[]>> {
  const rows = await sql<StatusChange & { book_id: string; order_id: string }>(
    `select c.order_id, c.position, c.from_status as "from", c.to_status as "to", c.at, c.actor, c.reason
     from unnest($1::uuid[], $2::uuid[]) as k (book_id, order_id)
     cross join lateral (
       select * from status_change s
       where s.book_id = k.book_id
         and s.order_id = k.order_id
       offset 0
     ) c
     order by c.order_id, c.position`,
    [orders.map((order) => uuidOf(order.book)), orders.map((order) => uuidOf(order.id))],
  );
  const byUuid = Map.groupBy(rows, (row) => row.order_id);
  return new Map(orders.map((order) => [order.id, byUuid.get(uuidOf(order.id)) ?? []]));
}
