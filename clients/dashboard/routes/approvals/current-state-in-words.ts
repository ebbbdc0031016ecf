import type { CurrentState } from "../../api/approvals/current-state.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { approvalTexts } from "../../texts/approvals.ts";

const { currentState: words } = approvalTexts;

/** What it is now, by whom and why: `It is cancelled now, by maya: a duplicate.` */
export function currentStateInWords({ stillWaits, status, by, reason, isApproved }: CurrentState): string {
  if (stillWaits) return words.stillWaits;
  const who = by === null ? "" : isApproved ? words.approvedBy(visible(by)) : words.by(visible(by));
  const why = reason === null ? "" : `: ${visible(reason)}`;
  return `${words.is(status)}${who}${why}.`;
}
