import { Refusal } from "../../../../contracts/errors.ts";

/** One text has one form however it was typed (NIST SP 800-63B, 3.1.1.2). */
export function normalizedPassword(password: string): string {
  return password.normalize("NFKC");
}

const minDifferent = 5;

/**
 * Refuses a new password that others may know or guess at once: the current one, which an admin or the operator may
 * have set; the person's own email or principal; one of fewer than five different characters.
 * Refusals: `invalid_field`.
 */
export function rejectWeakPassword(
  newPassword: string,
  known: { readonly currentPassword: string; readonly email: string; readonly principal: string },
): void {
  const folded = normalizedPassword(newPassword).trim().toLowerCase();
  const current = normalizedPassword(known.currentPassword).trim().toLowerCase();
  if (current !== "" && folded.includes(current)) {
    throw invalid("Choose a password without the current one in it: somebody else may know that.");
  }
  if ([known.email, known.principal].some((text) => folded === normalizedPassword(text).toLowerCase())) {
    throw invalid("Choose a password that is not your email or principal.");
  }
  if (new Set(folded).size < minDifferent) {
    throw invalid(`Choose a password of at least ${String(minDifferent)} different characters.`);
  }
}

function invalid(message: string): Refusal {
  return new Refusal("invalid_field", message, {
    errors: [{ pointer: "/newPassword", code: "invalid_field", message }],
  });
}
