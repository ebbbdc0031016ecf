import { type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { idArray } from "../../platform/persistence/uuid-array.ts";
import type { OrderKey } from "./payment-orders.ts";

/** Saves events that came before their phase. The row locks of their orders guard them. */
export async function saveDeferred(sql: Sql, events: readonly AnyMessage[]): Promise<void> {
  if (events.length === 0) return;
  await sql(
    `insert into deferred_event (book_id, order_id, message_id, event)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::jsonb[])
     on conflict do nothing`,
    [
      events.map((event) => uuidOf(event.book)),
      events.map((event) => uuidOf(event.subject as PaymentOrderId)),
      events.map((event) => event.id),
      events.map((event) => JSON.stringify(event)),
    ],
  );
}

/** The deferred events of these orders, oldest first. Every batch reads them: the table is almost empty. */
export async function readDeferred(sql: Sql, orders: readonly OrderKey[]): Promise<AnyMessage[]> {
  const keys = [...new Map(orders.map((order) => [`${order.book}/${order.id}`, order])).values()];
  const rows = await sql<{ event: AnyMessage }>(
    `select e.event
     from unnest($1::uuid[], $2::uuid[]) as k (book_id, order_id)
     cross join lateral (
       select * from deferred_event f
       where f.book_id = k.book_id
         and f.order_id = k.order_id
       offset 0
     ) e
     order by e.received_at, e.message_id`,
    [idArray(keys.map(({ book }) => book)), idArray(keys.map(({ id }) => id))],
  );
  return rows.map((row) => row.event);
}

/** How long the oldest deferred event has waited, 0 if there is none. Reads one entry of an index. */
export async function oldestDeferredSeconds(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }>(
    `select coalesce(extract(epoch from clock_timestamp() - min(received_at)), 0)::float8 as seconds
     from deferred_event`,
  );
  return row?.seconds ?? 0;
}

export async function deleteDeferred(sql: Sql, events: readonly AnyMessage[]): Promise<void> {
  if (events.length === 0) return;
  await sql("delete from deferred_event where message_id = any ($1::uuid[])", [
    events.map((event) => event.id),
  ]);
}
