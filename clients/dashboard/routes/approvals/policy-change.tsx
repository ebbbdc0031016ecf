import type { InboxPolicyProposal } from "../../../typescript/types.gen.ts";
import { usePolicyPreview } from "../../api/policy.ts";
import { Details } from "../../parts/card.tsx";
import { policyFieldInWords } from "../../parts/policy-field.ts";
import { texts } from "../../texts/texts.ts";
import { Preview } from "../policy/preview.tsx";

interface PolicyChangeProps {
  readonly proposal: InboxPolicyProposal;
  readonly isGone: boolean;
}

/** What a proposed policy changes, and which waiting orders it would touch if it were in force now. */
export function PolicyChange({ proposal: { policy, loosens }, isGone }: PolicyChangeProps) {
  const { data: preview } = usePolicyPreview(isGone ? undefined : policy);
  if (isGone || preview === undefined) {
    const { looser } = texts.policy.preview;
    return <Details rows={loosens.map((field) => [policyFieldInWords(field), looser])} />;
  }
  return (
    <div className="policy-aside">
      <Preview preview={preview} />
    </div>
  );
}
