import { Refusal } from "../../../contracts/errors.ts";

/**
 * Refuses a balance that no JSON number holds exactly. `decide` keeps each account's recorded balance within the range,
 * but not the sum over several accounts, nor a balance by effective date.
 */
export function withSafeBalances<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Refusal(
      "balance_out_of_range",
      "A balance, or the sum over all accounts, exceeds the largest exact JSON number. Read the accounts one by one, use asOf, or wait until what is pending has ended.",
    );
  }
}
