import { Refusal } from "../../../contracts/errors.ts";
import type { Transition } from "./transition.ts";
import type { Counterparty } from "./counterparty.ts";
import type { OrderTerms } from "./payment-order.ts";

/**
 * An order's fields with the counterparty's details for its rail copied in: later edits leave the copy alone.
 * @throws Refusal `counterparty_account_missing`
 */
export function copyPayeeDetails(terms: OrderTerms, counterparty: Counterparty): OrderTerms {
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

function railsOf({ accounts }: Counterparty): string {
  return accounts.length === 0 ? "none yet" : accounts.map(({ rail }) => rail).join(", ");
}

/** Copies the counterparty's details of today onto a Draft that names it. Throws what `payTo` throws. */
export function setPayee(advance: Transition, payee: Counterparty | null): void {
  if (payee === null) return;
  advance.payee = payee;
  advance.order = { ...advance.order, terms: copyPayeeDetails(advance.order.terms, payee) };
}

/**
 * What submission asks of the counterparty that an order names. Throws `Refusal` `counterparty_unverified`; and an
 * error where nobody has looked: an order must not freeze with details that were verified once.
 */
export function checkPayee({ order, payee }: Transition): void {
  const { counterpartyId } = order.terms;
  if (counterpartyId === null) return;
  if (payee?.id !== counterpartyId) throw new Error(`nobody has looked up whom order ${order.id} pays`);
  const { id, verificationStatus } = payee;
  if (verificationStatus === "Verified") return;
  const detail =
    verificationStatus === "Failed"
      ? "The counterparty's verification failed. Correct its details, and have another principal verify it."
      : "The counterparty is not verified. Have a principal verify it who did not enter its details.";
  throw new Refusal("counterparty_unverified", detail, {
    errors: [{ pointer: "/counterpartyId", code: "counterparty_unverified", message: detail }],
    context: { resourceId: id, verificationStatus },
  });
}
