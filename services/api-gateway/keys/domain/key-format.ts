import ipaddr from "ipaddr.js";
import { Refusal } from "../../../../contracts/errors.ts";

/** Who makes keys from the command line. */
export const operator = "operator";

/** Names of the service's own in an order's history; no tenant's principal goes by one. */
const ours: readonly string[] = [operator, "system", "rail", "ledger"];

/** Fillers, joiners, variation selectors and the blank of Braille: letters and marks that draw nothing. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * A principal's name as it is kept: NFC, with plain single spaces and none around it, so that "maker " does not pass
 * for another person than "maker": approvals count principals. Refusal: `invalid_field`.
 */
export function principalOf(text: string): string {
  const name = text
    .normalize("NFC")
    .replace(/\p{Zs}+/gu, " ")
    .trim();
  if (name === "" || name.length > 100 || unseen.test(name)) {
    throw invalid("/principal", "Name the principal in 1 to 100 characters that can be seen.");
  }
  if (ours.includes(name.toLowerCase())) {
    throw invalid("/principal", `${name} is a name of the service's own: take another name.`);
  }
  return name;
}

/** Refusal: `invalid_field`, naming what is neither an address nor a CIDR block. */
export function refuseBadAddresses(allowlist: readonly string[]): void {
  const malformed = allowlist.filter((block) => !ipaddr.isValid(block) && !ipaddr.isValidCIDR(block));
  if (malformed.length === 0) return;
  throw invalid("/ipAllowlist", `Give addresses or CIDR blocks; these are neither: ${malformed.join(", ")}.`);
}

/** Refusal: `invalid_field`. */
export function refusePastEnd(expiresAt: Date, now: Date): void {
  if (expiresAt <= now) throw invalid("/expiresAt", "Let the key expire in the future.");
}

function invalid(pointer: string, message: string): Refusal {
  return new Refusal("invalid_field", message, { errors: [{ pointer, code: "invalid_field", message }] });
}
