import { Refusal } from "../../../contracts/errors.ts";
import { maxBalanceCents, safeCents } from "../../../contracts/money.ts";

/**
 * A balance or a sum as the JSON number of an answer. Refusals: `balance_out_of_range` beyond ±(2^53 − 1) cents.
 * `decide` refuses what tenants would take there, but a bank can return a payment at any time, and sums add up many
 * accounts.
 */
export function exactCents(balance: bigint): number {
  try {
    return safeCents(balance);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Refusal(
      "balance_out_of_range",
      "A balance of this answer, or the sum over all accounts, is beyond what a JSON number holds exactly. Read the accounts one by one; one that is beyond is readable as of an earlier day or time, and again after postings that bring it back. GET /v1/ledger/journals gives every total as text.",
    );
  }
}

/** Whether a JSON number holds it exactly. */
export const isExact = (cents: bigint): boolean => cents <= maxBalanceCents && cents >= -maxBalanceCents;
