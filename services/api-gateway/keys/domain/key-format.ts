import ipaddr from "ipaddr.js";
import { Refusal } from "../../../../contracts/errors.ts";
import { isSamePrincipal } from "../../../../contracts/text/principals.ts";
import { invisible, isShortInFull, normalizedName } from "../../../../contracts/text/text.ts";

/** The maker of keys that come from the command line. */
export const operator = "operator";

/** Names that the service itself has in an order's history. */
const reservedNames: readonly string[] = [operator, "system", "rail", "ledger"];

const maxPrincipal = 100;

/** Characters for private use: every font draws them as it likes. */
const privateUse = /\p{Co}/u;

/**
 * Normalizes a principal's name: NFC, single plain spaces, trimmed. Otherwise "maker " would count as another approver
 * than "maker". Refusals: `invalid_field`.
 */
export function parsePrincipal(text: string): string {
  const name = normalizedName(text);
  if (name === "" || name.length > maxPrincipal || invisible.test(name) || privateUse.test(name)) {
    throw invalid("/principal", "Send a principal of 1 to 100 visible characters.");
  }
  if (!isShortInFull(name, maxPrincipal)) {
    throw invalid("/principal", "Send a principal with fewer ligatures: written in full it is too long.");
  }
  if (isReservedName(name)) {
    throw invalid("/principal", `${name} is reserved for the service. Choose another name.`);
  }
  return name;
}

/** Whether a name reads as one that the service itself has in an order's history. */
export function isReservedName(name: string): boolean {
  return reservedNames.some((reserved) => isSamePrincipal(reserved, name));
}

/** Four decimal numbers for IPv4: some read `127.1` as an address, and `010.0.0.1` as 8.0.0.1. */
function isBlock(text: string): boolean {
  if (text.includes(":")) {
    return !text.includes("%") && (ipaddr.IPv6.isValid(text) || ipaddr.IPv6.isValidCIDR(text));
  }
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv4.isValidCIDRFourPartDecimal(text);
}

/** Refusals: `invalid_field`, with every entry that is neither an address nor a CIDR block. */
export function rejectBadAddresses(allowlist: readonly string[]): void {
  const malformed = allowlist.filter((block) => !isBlock(block));
  if (malformed.length === 0) return;
  throw invalid("/ipAllowlist", `Send addresses or CIDR blocks. These are neither: ${malformed.join(", ")}.`);
}

/** Refusals: `invalid_field`. */
export function rejectPastExpiry(expiresAt: Date, now: Date): void {
  if (expiresAt <= now) throw invalid("/expiresAt", "Send a time in the future.");
}

function invalid(pointer: string, message: string): Refusal {
  return new Refusal("invalid_field", message, { errors: [{ pointer, code: "invalid_field", message }] });
}
