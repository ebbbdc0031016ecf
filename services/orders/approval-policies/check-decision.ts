import { Refusal } from "../../../contracts/errors.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import type { Proposal } from "./store/policy-proposals.ts";

/** Refusals, if this principal can't decide on it: `invalid_state_transition`, `self_approval_not_allowed`. */
export function checkDecision({ id, status, proposedBy }: Proposal, principal: string): void {
  if (status !== "Open") {
    const why = status === "Superseded" ? " The policy has changed since: propose it again." : "";
    throw new Refusal("invalid_state_transition", `This proposal is ${status} and can't be decided.${why}`, {
      context: { resourceId: id, currentStatus: status, allowedStatuses: ["Open"] },
    });
  }
  if (isSamePrincipal(proposedBy, principal)) {
    const detail = `${principal} proposed this policy, so another principal must decide on it.`;
    throw new Refusal("self_approval_not_allowed", detail, { context: { resourceId: id } });
  }
}
