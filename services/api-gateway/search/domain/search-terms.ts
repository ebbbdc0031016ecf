import { maxAmountCents } from "../../../../contracts/money.ts";

const amount = /^\$?(\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.(\d{2}))?$/;

/** The cents of an amount in dollars, such as `1,234.56`, `$1234.56` or `1234`; null for any other text. */
export function amountIn(text: string): number | null {
  const found = amount.exec(text);
  if (found === null) return null;
  const [, dollars = "", cents = "00"] = found;
  const value = Number(dollars.replaceAll(",", "")) * 100 + Number(cents);
  return value >= 1 && value <= maxAmountCents ? value : null;
}
