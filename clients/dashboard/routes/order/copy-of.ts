import type { PaymentOrder, PaymentOrderCreate } from "../../../typescript/types.gen.ts";

/** An account number of the simulated banks that has no outcome of its own. */
const testAccountNumber = "000123456789";

/**
 * The body of an order like this one, or undefined where it can't be made. Account numbers are masked in answers: a
 * copy uses the counterparty, or a test account at the same bank.
 */
export function copyOf(order: PaymentOrder): PaymentOrderCreate | undefined {
  const { counterpartyId, counterpartyName, counterpartyRoutingNumber, ledgerAccountId, rail } = order;
  if (ledgerAccountId === null) return undefined;
  const { direction, amountCents, description } = order;
  const terms = {
    direction,
    rail,
    amountCents,
    ledgerAccountId,
    ...(description === null ? {} : { description }),
  };
  if (counterpartyId !== null) return { ...terms, counterpartyId };
  if (rail === "Book" || rail === "Usdc" || counterpartyName === null || counterpartyRoutingNumber === null)
    return undefined;
  return {
    ...terms,
    counterpartyName,
    counterpartyRoutingNumber,
    counterpartyAccountNumber: testAccountNumber,
  };
}
