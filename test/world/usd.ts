/** Converts dollars to cents: `usd("40.00")` is 4000. */
export function usd(dollars: string): number {
  const [whole = "", cents = ""] = dollars.split(".");
  if (cents.length !== 2) throw new RangeError(`${dollars} must have two digits of cents`);
  return Number(whole + cents);
}
