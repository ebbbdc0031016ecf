import type { Counterparty, ExternalRail } from "../../../../typescript/types.gen.ts";
import { obligationTexts } from "../../../texts/obligations.ts";

const { payee: words, rails } = obligationTexts;

/** The rails on which the payee has an account. */
export function railsOf({ accounts }: Counterparty): ExternalRail[] {
  return rails.filter((rail) => accounts.some((account) => account.rail === rail));
}

/** Why no order can pay this payee now, or null. */
export function unpayableReason(payee: Counterparty): string | null {
  if (payee.archivedAt !== null) return words.archived;
  if (payee.verificationStatus !== "Verified") return words.unverified;
  return railsOf(payee).length === 0 ? words.railMissing : null;
}
