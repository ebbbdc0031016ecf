import type { Become } from "../../api/become.ts";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";

const { become: words } = texts.approvals;

/** What it is now, by whom and why: `It is cancelled now, by maya: a duplicate.` */
export function becomeInWords({ stillWaits, status, by, reason, isApproved }: Become): string {
  if (stillWaits) return words.stillWaits;
  const who = by === null ? "" : isApproved ? words.approvedBy(visible(by)) : words.by(visible(by));
  const why = reason === null ? "" : `: ${visible(reason)}`;
  return `${words.is(status)}${who}${why}.`;
}
