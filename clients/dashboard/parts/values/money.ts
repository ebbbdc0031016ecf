/**
 * Integer cents as text: `$1,234.56`, negative amounts with a real minus sign (U+2212). The only way in which an amount
 * reaches the page: nothing is rounded or abbreviated.
 */
export function money(cents: number): string {
  const whole = Math.trunc(Math.abs(cents) / 100);
  const rest = String(Math.abs(cents) % 100).padStart(2, "0");
  const grouped = String(whole).replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "\u2212" : ""}$${grouped}.${rest}`;
}

/** A sentence of the API with its amounts as people read them: `has 352250 cents` becomes `has $3,522.50`. */
export function inDollars(sentence: string): string {
  return sentence.replaceAll(/(?<!\d)(-?\d{1,16}) cents\b/g, (_, cents: string) => money(Number(cents)));
}
