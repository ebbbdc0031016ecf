/**
 * The number of a virtual account: 17 digits, as long as an ACH field takes, so that none can be read as a card's (16)
 * or as a magic number of the sandbox (6). Fifteen are random: nobody finds one by counting.
 */
export const virtualNumberDigits = 17;

/** The bank that keeps virtual accounts. Prefix 79 is unassigned: no real bank's routing number. */
export const virtualRoutingNumber = "790001005";

const form = /^[1-9]\d{16}$/;

/** True for what could be a virtual account's number: its form, and its check digit (Luhn, ISO/IEC 7812-1 annex B). */
export function isVirtualNumber(text: string): boolean {
  return form.test(text) && checkDigitOf(text.slice(0, -1)) === text.slice(-1);
}

/** The digit that follows: every single wrong digit, and nearly every swap of two neighbours, is noticed by it. */
export function checkDigitOf(digits: string): string {
  let sum = 0;
  for (const [place, digit] of [...digits].reverse().entries()) {
    const doubled = place % 2 === 0 ? Number(digit) * 2 : Number(digit);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return String((10 - (sum % 10)) % 10);
}
