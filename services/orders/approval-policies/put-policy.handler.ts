import { Controller, Inject } from "@nestjs/common";
import type { ApprovalPolicy as PolicyBody } from "../../../contracts/http/payments/approval-policies.ts";
import { newId, type ProposalId } from "../../../contracts/ids/ids.ts";
import { PutApprovalPolicy as PutApprovalPolicyRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { canonicalPolicy, loosenedMembers, policyOf } from "../order/approval-policy.ts";
import { replacePolicy } from "./replace-policy.ts";
import { lockPolicy, readPolicy } from "./store/approval-policies.ts";
import { insertProposal } from "./store/policy-proposals.ts";

type Answer = { policy: PolicyBody } | { proposalId: ProposalId };

/** Replaces a book's approval policy at once if it loosens nothing; otherwise proposes the whole policy. */
@Controller()
export class PutApprovalPolicy {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /**
   * Answers with the policy if it is in force now, changed or not; with the proposal if another principal must agree.
   */
  @HandlesRequest(PutApprovalPolicyRequest)
  put(body: PolicyBody, request: RequestContext) {
    const operation = {
      name: "put-approval-policy",
      resourceId: (answer: Answer) => ("proposalId" in answer ? answer.proposalId : "approval-policy"),
    };
    return this.#units.run((unit) =>
      withIdempotency(unit, request, operation, () => putPolicy(unit, request, body)),
    );
  }
}

async function putPolicy(unit: UnitOfWork, request: RequestContext, body: PolicyBody): Promise<Answer> {
  const { book, principal } = request.caller;
  const next = canonicalPolicy(policyOf(body));
  await lockPolicy(unit.sql, book);
  const inForce = await readPolicy(unit.sql, book);
  const loosens = loosenedMembers(next, inForce.policy);
  if (loosens.length > 0) {
    const id = newId("prop");
    const proposal = { id, status: "Open", policy: next, loosens, againstVersion: inForce.version } as const;
    const proposed = { proposedBy: principal, proposedAt: new Date(), decidedBy: null, decidedAt: null };
    await insertProposal(unit.em, book, { ...proposal, ...proposed });
    return { proposalId: id };
  }
  const same = loosenedMembers(inForce.policy, next).length === 0;
  if (!same) await replacePolicy(unit, { book, inForce, next, principal, proposal: null });
  return { policy: { ...next, dualApprovalRails: [...next.dualApprovalRails] } };
}
