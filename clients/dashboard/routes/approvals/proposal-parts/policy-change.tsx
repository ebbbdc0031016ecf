import type { InboxPolicyProposal } from "../../../../typescript/types.gen.ts";
import { usePolicyPreview } from "../../../api/approvals/policy.ts";
import { Details } from "../../../parts/page/card.tsx";
import { policyFieldInWords, policyValueInWords } from "../../../parts/form/policy-field.ts";
import { Preview } from "../../policy/preview.tsx";

interface PolicyChangeProps {
  readonly proposal: InboxPolicyProposal;
  readonly isGone: boolean;
}

/** What a proposed policy changes, and which waiting orders it would touch if it were in force now. */
export function PolicyChange({ proposal: { policy, loosens }, isGone }: PolicyChangeProps) {
  const { data: preview } = usePolicyPreview(isGone ? undefined : policy);
  if (isGone || preview === undefined) {
    return (
      <Details
        rows={loosens.map((field) => [policyFieldInWords(field), policyValueInWords(policy, field)])}
      />
    );
  }
  return (
    <div className="policy-aside">
      <Preview preview={preview} />
    </div>
  );
}
