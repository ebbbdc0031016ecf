import { notFound } from "../../../contracts/not-found.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { CounterpartySnapshot } from "../order/counterparty.ts";
import { requireNotArchived, copyCounterpartyDetails } from "../order/counterparty-snapshot.ts";
import type { OrderTerms, PaymentOrder } from "../order/payment-order.ts";
import { readCounterpartySnapshots } from "../counterparties/store/counterparty-snapshots.ts";

type Naming = Pick<PaymentOrder, "book" | "terms">;
/** Null for an order that names no counterparty. Refusals: `not_found` if the order's book has no such counterparty. */
export type CounterpartyOf = (order: Naming) => CounterpartySnapshot | null;

/**
 * The counterparties that these orders name, as of this transaction. One statement for all orders, and none if no
 * order names one. Nothing is locked: an edit that commits later counts for later orders.
 */
export async function lookUpCounterparties(sql: Sql, orders: readonly Naming[]): Promise<CounterpartyOf> {
  const keys = orders.flatMap(({ book, terms }) =>
    terms.counterpartyId === null ? [] : [{ book, id: terms.counterpartyId }],
  );
  const counterparties = keys.length === 0 ? undefined : await readCounterpartySnapshots(sql, keys);
  return ({ book, terms }) => {
    if (terms.counterpartyId === null) return null;
    const counterparty = counterparties?.get(terms.counterpartyId);
    // It may be the counterparty of another order of the batch, in another book.
    if (counterparty?.book !== book) throw notFound("counterparty", "/counterpartyId");
    return counterparty;
  };
}

/**
 * A Draft's new terms with the details of the counterparty that they name. A Draft may keep one that was archived
 * since, but can't name one anew. Refusals: `not_found`, `counterparty_archived`; those of `copyCounterpartyDetails`.
 */
export async function termsWithCounterparty(sql: Sql, draft: Naming, terms: OrderTerms): Promise<OrderTerms> {
  const naming = { book: draft.book, terms };
  const counterparty = (await lookUpCounterparties(sql, [naming]))(naming);
  if (counterparty === null) return terms;
  if (counterparty.id !== draft.terms.counterpartyId) requireNotArchived(counterparty);
  return copyCounterpartyDetails(terms, counterparty);
}
