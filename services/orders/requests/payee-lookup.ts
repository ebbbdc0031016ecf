import { notFound } from "../../../contracts/not-found.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { Payee } from "../order/counterparty.ts";
import { copyPayeeDetails } from "../order/payee.ts";
import type { OrderTerms, PaymentOrder } from "../order/payment-order.ts";
import { readPayees } from "../counterparties/store/payees.ts";

type Naming = Pick<PaymentOrder, "book" | "terms">;
/** Null for an order that names none. Throws `Refusal` `not_found` for one that the order's book doesn't have. */
export type PayeeOf = (order: Naming) => Payee | null;

/**
 * Whom these orders pay by their counterpartyId, as of this transaction: one statement for all of them, and none where
 * no order names one. Nothing is locked: an edit that commits later is later than the order.
 */
export async function lookUpPayees(sql: Sql, orders: readonly Naming[]): Promise<PayeeOf> {
  const keys = orders.flatMap(({ book, terms }) =>
    terms.counterpartyId === null ? [] : [{ book, id: terms.counterpartyId }],
  );
  const payees = keys.length === 0 ? undefined : await readPayees(sql, keys);
  return ({ book, terms }) => {
    if (terms.counterpartyId === null) return null;
    const payee = payees?.get(terms.counterpartyId);
    // Another order of the batch may name it in its own book.
    if (payee?.book !== book) throw notFound("counterparty", "/counterpartyId");
    return payee;
  };
}

/**
 * A Draft's fields with the details of the counterparty that they name. Refusals: `not_found` and those of `payTo`.
 */
export async function termsWithPayee(sql: Sql, naming: Naming): Promise<OrderTerms> {
  const payee = (await lookUpPayees(sql, [naming]))(naming);
  return payee === null ? naming.terms : copyPayeeDetails(naming.terms, payee);
}
