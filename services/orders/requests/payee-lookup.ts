import type { Sql } from "../../platform/persistence/sql.ts";
import type { Counterparty } from "../order/counterparty.ts";
import { payTo, unknownPayee } from "../order/payee.ts";
import type { FrozenFields, PaymentOrder } from "../order/payment-order.ts";
import { readCounterparties } from "../counterparties/store/counterparties.ts";

type Naming = Pick<PaymentOrder, "book" | "frozen">;
/** Null for an order that names none. Throws `Refusal` `not_found` for one that the order's book doesn't have. */
export type PayeeOf = (order: Naming) => Counterparty | null;

/**
 * Whom these orders pay by their counterpartyId, as of this transaction: one statement for all of them, and none where
 * no order names one. Nothing is locked: an edit that commits later is later than the order.
 */
export async function payeesOf(sql: Sql, orders: readonly Naming[]): Promise<PayeeOf> {
  const keys = orders.flatMap(({ book, frozen }) =>
    frozen.counterpartyId === null ? [] : [{ book, id: frozen.counterpartyId }],
  );
  const payees = keys.length === 0 ? undefined : await readCounterparties(sql, keys);
  return ({ book, frozen }) => {
    if (frozen.counterpartyId === null) return null;
    const payee = payees?.get(frozen.counterpartyId);
    // Another order of the batch may name it in its own book.
    if (payee?.book !== book) throw unknownPayee();
    return payee;
  };
}

/** A Draft's fields with the details of the counterparty that they name. Refusals: `not_found` and those of `payTo`. */
export async function withPayee(sql: Sql, naming: Naming): Promise<FrozenFields> {
  const payee = (await payeesOf(sql, [naming]))(naming);
  return payee === null ? naming.frozen : payTo(naming.frozen, payee);
}
