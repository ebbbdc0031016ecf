import { z } from "zod";

/** The largest amount a request may carry: 999,999,999,999 cents. */
export const maxAmountCents = 999_999_999_999;

/** An amount of money in cents: an integer from 1 to `maxAmountCents`. Never a float, never text. */
export const amountCents = z
  .int("must be a whole number of cents")
  .min(1)
  .max(maxAmountCents)
  .meta({ description: "The amount in cents.", examples: [1_000] });

/** A balance in cents; may be negative, always a safe integer (the ledger refuses what would leave that range). */
export const balanceCents = z.int().meta({ description: "In cents. May be negative." });

export const currency = z.literal("USD").meta({
  id: "Currency",
  description: "ISO 4217 currency code.",
  "x-enumDescriptions": { USD: "US dollar." },
});
export type Currency = z.infer<typeof currency>;

export const maxBalanceCents = BigInt(Number.MAX_SAFE_INTEGER);

/** A stored balance as the number that goes out. Throws `RangeError` rather than lose a cent. */
export function safeCents(balance: bigint): number {
  if (balance > maxBalanceCents || balance < -maxBalanceCents) {
    throw new RangeError("a balance is beyond the safe integers");
  }
  return Number(balance);
}
