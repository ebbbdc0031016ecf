/**
 * Typed dollars as integer cents: `1,234.5` → 123450. Undefined for anything but a positive amount, and for a comma
 * that does not stand before thousands: `12,50` may mean twelve and a half.
 */
export function centsOf(text: string): number | undefined {
  const [, dollars, cents = ""] =
    /^\$?\s*(\d{1,13}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{0,2}))?$/.exec(text.trim()) ?? [];
  if (dollars === undefined) return undefined;
  const whole = Number(dollars.replaceAll(",", ""));
  const total = whole * 100 + Number(cents.padEnd(2, "0"));
  return total > 0 && Number.isSafeInteger(total) ? total : undefined;
}
