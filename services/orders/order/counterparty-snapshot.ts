import { Refusal } from "../../../contracts/errors.ts";
import type { CounterpartySnapshot } from "./counterparty.ts";
import type { OrderTerms, PaymentOrder } from "./payment-order.ts";

/**
 * Terms with the counterparty's details for their rail. It is a copy, so later edits of the counterparty do not change
 * the order. Refusals: `counterparty_account_missing`.
 */
export function copyCounterpartyDetails(terms: OrderTerms, counterparty: CounterpartySnapshot): OrderTerms {
  const account = counterparty.accounts.find(({ rail }) => rail === terms.rail);
  if (account === undefined) {
    const detail =
      terms.rail === "Book"
        ? "A Book transfer goes to a ledger account of your own: send counterpartyAccountNumber in place of counterpartyId."
        : `The counterparty has no account on ${terms.rail}. Add one to it, or use a rail that it has: ${railsOf(counterparty)}.`;
    throw new Refusal("counterparty_account_missing", detail, {
      errors: [{ pointer: "/counterpartyId", code: "counterparty_account_missing", message: detail }],
      context: { resourceId: counterparty.id, rail: terms.rail },
    });
  }
  return {
    ...terms,
    counterpartyId: counterparty.id,
    counterpartyName: counterparty.name,
    counterpartyAccount: account.accountNumber,
    counterpartyLedgerAccountId: null,
    counterpartyRoutingNumber: account.routingNumber,
  };
}

function railsOf({ accounts }: CounterpartySnapshot): string {
  return accounts.length === 0 ? "none yet" : accounts.map(({ rail }) => rail).join(", ");
}

/**
 * The order with the details that its counterparty has now; unchanged if it names none. Refusals:
 * `counterparty_archived`; those of `copyCounterpartyDetails`.
 */
export function withCounterpartyDetails(
  order: PaymentOrder,
  counterparty: CounterpartySnapshot | null,
): PaymentOrder {
  if (counterparty === null) return order;
  requireNotArchived(counterparty);
  return { ...order, terms: copyCounterpartyDetails(order.terms, counterparty) };
}

/** Orders under way go on: they have a copy of its details. Refusals: `counterparty_archived`. */
export function requireNotArchived({ id, archived }: CounterpartySnapshot): void {
  if (!archived) return;
  const detail =
    "The counterparty is archived, so no new order can name it. Restore it, or name another counterparty.";
  throw new Refusal("counterparty_archived", detail, {
    errors: [{ pointer: "/counterpartyId", code: "counterparty_archived", message: detail }],
    context: { resourceId: id },
  });
}

/**
 * Checks the counterparty that an order names before its submission. Refusals: `counterparty_unverified`. Throws an
 * error if `counterparty` is another counterparty than the order's.
 */
export function checkCounterpartyVerified(
  { id: orderId, terms }: PaymentOrder,
  counterparty: CounterpartySnapshot | null,
): void {
  if (terms.counterpartyId === null) return;
  if (counterparty?.id !== terms.counterpartyId)
    throw new Error(
      `order ${orderId} names ${terms.counterpartyId} and was submitted with ${counterparty?.id ?? "no counterparty"}`,
    );
  const { id, verificationStatus } = counterparty;
  if (verificationStatus === "Verified") return;
  const detail =
    verificationStatus === "Failed"
      ? "The counterparty's verification failed. Correct its details, and ask another principal to verify it."
      : "The counterparty is not verified. Ask a principal who didn't enter its details to verify it.";
  throw new Refusal("counterparty_unverified", detail, {
    errors: [{ pointer: "/counterpartyId", code: "counterparty_unverified", message: detail }],
    context: { resourceId: id, verificationStatus },
  });
}

/**
 * Checks that no correction of the counterparty's details for this rail has waited too long: an originator corrects
 * them within six banking days (Nacha Operating Rules, 2.12.1). Refusals: `counterparty_change_pending`.
 */
export function checkNoChangePending(
  { rail }: OrderTerms,
  counterparty: CounterpartySnapshot | null,
  now: Date,
): void {
  const pending = counterparty?.openChanges.find(
    ({ rails, correctBy }) => rails.includes(rail) && new Date(correctBy) <= now,
  );
  if (counterparty === null || pending === undefined) return;
  const detail = `The counterparty's bank corrected its details, and six banking days have passed. Accept or dismiss ${pending.id} first, under /v1/counterparties/${counterparty.id}/proposed-changes.`;
  throw new Refusal("counterparty_change_pending", detail, {
    errors: [{ pointer: "/counterpartyId", code: "counterparty_change_pending", message: detail }],
    context: { resourceId: counterparty.id, proposedChangeId: pending.id, correctBy: pending.correctBy },
  });
}
