import { type BookId, idOf, type PaymentOrderId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Phase } from "../../order/payment-order.ts";

const pageSize = 5_000;

/** All orders of a book with their phases, a page at a time. */
export async function* phasesOfOrders(
  sql: Sql,
  book: BookId,
): AsyncGenerator<{ readonly id: PaymentOrderId; readonly phase: Phase }[]> {
  let after = belowAllUuids;
  for (;;) {
    const rows = await sql<{ id: string; phase: Phase }>(
      `select o.id, o.phase
       from payment_order o
       where o.book_id = $1
         and o.id > $2
       order by o.id
       limit $3`,
      [uuidOf(book), after, pageSize],
    );
    yield rows.map(({ id, phase }) => ({ id: idOf("po", id), phase }));
    after = rows.at(-1)?.id ?? after;
    if (rows.length < pageSize) return;
  }
}

/** Which of these orders do not exist in the book. */
export async function missingOrders(
  sql: Sql,
  book: BookId,
  ids: readonly PaymentOrderId[],
): Promise<PaymentOrderId[]> {
  const rows = await sql<{ id: string }>(
    `select u.id
     from unnest($2::uuid[]) as u (id)
     where not exists (select from payment_order o where o.book_id = $1 and o.id = u.id)`,
    [uuidOf(book), arrayLiteral(ids.map(uuidOf))],
  );
  return rows.map(({ id }) => idOf("po", id));
}
