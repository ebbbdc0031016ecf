import { Refusal } from "../../../contracts/errors.ts";

/**
 * One account's balance is kept in range by the ledger; a sum over many is not, nor what effective times make of it.
 */
export function withSafeBalances<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Refusal(
      "balance_out_of_range",
      "The balance, or the sum over all accounts, is beyond what a JSON number holds exactly. Read the accounts one by one, by record time, or let what is pending end.",
    );
  }
}
