import { bookIdOf, idOf, isId, type Mode, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { Misuse } from "../command-line/given.ts";

/** The argument as an order's id. Throws `Misuse` if it is none. */
export function orderIdOf(text: string): PaymentOrderId {
  if (isId("po", text)) return text;
  throw new Misuse(`${text} is not a payment order's id, po_…`);
}

/** The book, tenant and mode of an order. Throws if there is none with this id. */
export async function findOrder(sql: Sql, id: PaymentOrderId) {
  const [row] = await sql<{ tenant_id: string; mode: Mode }>(
    "select tenant_id, mode from orders.payment_order where id = $1",
    [uuidOf(id)],
  );
  if (row === undefined) throw new Error(`there is no payment order ${id}`);
  const { mode } = row;
  const tenant = idOf("ten", row.tenant_id);
  return { book: bookIdOf(tenant, mode), tenant, mode };
}
