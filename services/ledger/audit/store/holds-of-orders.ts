import { type BookId, idOf, type PaymentOrderId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

export interface HoldOfOrder {
  readonly sequence: number;
  readonly orderId: PaymentOrderId;
}
const pageSize = 10_000;

/** The holds of a book's orders, a page of journals at a time. */
export async function* holdsOfOrders(
  sql: Sql,
  book: BookId,
  journals: number,
): AsyncGenerator<HoldOfOrder[]> {
  for (let after = 0; after < journals; after += pageSize) {
    const rows = await sql<{ seq: bigint; order_id: string }>(
      `select j.seq, j.order_id
       from journal j
       where j.book_id = $1
         and j.seq > $2
         and j.seq <= $3
         and j.kind = 'Hold'
         and j.order_id is not null
       order by j.seq`,
      [uuidOf(book), after, after + pageSize],
    );
    yield rows.map(({ seq, order_id }) => ({ sequence: Number(seq), orderId: idOf("po", order_id) }));
  }
}

/** The state of each of these orders' holds, in the same order; `None` for an order without one. */
export async function statesOfHolds(
  sql: Sql,
  book: BookId,
  orders: readonly PaymentOrderId[],
): Promise<("None" | "Open" | "Settled" | "Released")[]> {
  // The transaction of an order's hold has the order's uuid.
  const rows = await sql<{ state: "None" | "Open" | "Settled" | "Released" }>(
    `select case
         when not coalesce(bool_or(j.kind = 'Hold'), false) then 'None'
         when bool_or(j.kind = 'Settle') then 'Settled'
         when bool_or(j.kind = 'Release') then 'Released'
         else 'Open'
       end as state
     from unnest($2::uuid[]) with ordinality as u (order_id, number)
     left join lateral (
       select x.kind, x.book_id from journal x where x.transaction_id = u.order_id offset 0
     ) j on j.book_id = $1
     group by u.number
     order by u.number`,
    [uuidOf(book), arrayLiteral(orders.map(uuidOf))],
  );
  return rows.map(({ state }) => state);
}
