/**
 * The number of digits of a virtual account's number: the longest that an ACH field takes. A card number has 16 and a
 * magic number of the sandbox has 6, so neither can be confused with it. Sixteen digits are random, the first one not
 * 0; the last is the check digit.
 */
export const virtualNumberDigits = 17;

/** The routing number of virtual accounts. Prefix 79 is unassigned, so no real bank has it. */
export const virtualRoutingNumber = "790001005";

const form = /^[1-9]\d{16}$/;

/** True when the text has the form and the check digit (Luhn, ISO/IEC 7812-1 annex B) of a virtual account's number. */
export function isVirtualNumber(text: string): boolean {
  return form.test(text) && checkDigitOf(text.slice(0, -1)) === text.slice(-1);
}

/** The check digit that follows. It detects every single wrong digit and nearly every swap of two neighbours. */
export function checkDigitOf(digits: string): string {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = index % 2 === 0 ? Number(digit) * 2 : Number(digit);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return String((10 - (sum % 10)) % 10);
}
