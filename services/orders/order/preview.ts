import { Refusal } from "../../../contracts/errors.ts";
import type { LedgerAccount } from "../../../contracts/http/ledger/ledger-accounts.ts";
import type { PaymentOrderPreview } from "../../../contracts/http/payments/payment-order-preview.ts";
import { maxBalanceCents } from "../../../contracts/money.ts";
import type { OrderTerms } from "./payment-order.ts";

type Balances = PaymentOrderPreview["balances"]["now"];
type Account = Balances & Pick<LedgerAccount, "id" | "name" | "overdraft" | "pendingInboundCents">;

/**
 * The balances of an order's ledger account: now, with the order's hold, and after its settlement. Outgoing money
 * lowers available as soon as it is held; incoming money counts when it is posted. Refusals: `balance_out_of_range` if
 * the ledger would refuse the hold for it.
 */
export function balancesBy(
  { direction, amountCents }: Pick<OrderTerms, "direction" | "amountCents">,
  account: Account,
): PaymentOrderPreview["balances"] {
  const now = pick(account);
  if (direction === "Credit") {
    const held = moved(now, { pending: amountCents });
    return { now, held: inRange(held, account), settled: moved(now, { posted: -amountCents }) };
  }
  const settled = moved(now, { posted: amountCents });
  // The ledger checks the sum with all collections that are still pending.
  inRange(moved(settled, { posted: account.pendingInboundCents }), account);
  return { now, held: now, settled };
}

function pick({ pendingBalanceCents, postedBalanceCents, availableBalanceCents }: Balances): Balances {
  return { pendingBalanceCents, postedBalanceCents, availableBalanceCents };
}

function moved(before: Balances, by: { readonly pending?: number; readonly posted?: number }): Balances {
  const pendingBalanceCents = before.pendingBalanceCents + (by.pending ?? 0);
  const postedBalanceCents = before.postedBalanceCents + (by.posted ?? 0);
  return {
    pendingBalanceCents,
    postedBalanceCents,
    availableBalanceCents: postedBalanceCents - pendingBalanceCents,
  };
}

function inRange(balances: Balances, { name }: Account): Balances {
  if (Object.values(balances).every((cents) => Number.isSafeInteger(cents))) return balances;
  throw new Refusal(
    "balance_out_of_range",
    `A balance of ${name} would exceed ±${String(maxBalanceCents)} cents. Use another account.`,
  );
}

/** Refusals: `insufficient_funds` if the ledger would refuse the hold: the payer refuses overdraft. */
export function checkFunds(amountCents: number, payer: Account): void {
  if (payer.overdraft === "Allowed" || payer.availableBalanceCents >= amountCents) return;
  throw new Refusal(
    "insufficient_funds",
    `${payer.name} has ${String(payer.availableBalanceCents)} cents available and refuses overdraft. Fund it, or move less.`,
    {
      errors: [{ pointer: "/amountCents", code: "insufficient_funds", message: "exceeds what is available" }],
      context: { resourceId: payer.id, availableBalanceCents: payer.availableBalanceCents },
    },
  );
}
