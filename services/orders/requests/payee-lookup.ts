import { notFound } from "../../../contracts/not-found.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { Payee } from "../order/counterparty.ts";
import { copyPayeeDetails } from "../order/payee.ts";
import type { OrderTerms, PaymentOrder } from "../order/payment-order.ts";
import { readPayees } from "../counterparties/store/payees.ts";

type Naming = Pick<PaymentOrder, "book" | "terms">;
/**
 * Null for an order that names no counterparty. Throws `Refusal` `not_found` if the order's book has no such
 * counterparty.
 */
export type PayeeOf = (order: Naming) => Payee | null;

/**
 * The counterparties that these orders name, as of this transaction. One statement for all orders, and none if no
 * order names one. Nothing is locked: an edit that commits later counts for later orders.
 */
export async function lookUpPayees(sql: Sql, orders: readonly Naming[]): Promise<PayeeOf> {
  const keys = orders.flatMap(({ book, terms }) =>
    terms.counterpartyId === null ? [] : [{ book, id: terms.counterpartyId }],
  );
  const payees = keys.length === 0 ? undefined : await readPayees(sql, keys);
  return ({ book, terms }) => {
    if (terms.counterpartyId === null) return null;
    const payee = payees?.get(terms.counterpartyId);
    // It may be the counterparty of another order of the batch, in another book.
    if (payee?.book !== book) throw notFound("counterparty", "/counterpartyId");
    return payee;
  };
}

/**
 * A Draft's terms with the details of the counterparty that they name. Throws `Refusal` `not_found`, or as
 * `copyPayeeDetails`.
 */
export async function termsWithPayee(sql: Sql, naming: Naming): Promise<OrderTerms> {
  const payee = (await lookUpPayees(sql, [naming]))(naming);
  return payee === null ? naming.terms : copyPayeeDetails(naming.terms, payee);
}
