/** Dollars as a person writes them, in cents: `usd("40.00")` is 4000. */
export function usd(dollars: string): number {
  const [whole = "", cents = ""] = dollars.split(".");
  if (cents.length !== 2) throw new RangeError(`${dollars} has no two digits of cents`);
  return Number(whole + cents);
}
