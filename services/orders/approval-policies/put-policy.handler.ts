import { Controller, Inject } from "@nestjs/common";
import type { ApprovalPolicy as PolicyBody } from "../../../contracts/http/payments/approval-policies.ts";
import { newId, type ProposalId } from "../../../contracts/ids/ids.ts";
import { PutApprovalPolicy as PutApprovalPolicyRequest } from "../../../contracts/messages/orders.ts";
import { Answers, type Ask } from "../../platform/handlers/decorators.ts";
import { onlyOnce } from "../../platform/rpc/idempotency.ts";
import { type Unit, Units } from "../../platform/handlers/unit-of-work.ts";
import { inOneForm, loosenedMembers, policyOf } from "../order/approval-policy.ts";
import { replacePolicy } from "./replace-policy.ts";
import { lockPolicy, readPolicy } from "./store/approval-policies.ts";
import { insertProposal } from "./store/policy-proposals.ts";

type Answer = { policy: PolicyBody } | { proposalId: ProposalId };

/** Tightens a book's approval policy at once; a policy that loosens any member is proposed as a whole. */
@Controller()
export class PutApprovalPolicy {
  readonly #units: Units;

  constructor(@Inject(Units) units: Units) {
    this.#units = units;
  }

  /** The policy when it holds at once, also when it held already; the proposal when another principal must agree. */
  @Answers(PutApprovalPolicyRequest)
  put(body: PolicyBody, ask: Ask) {
    const operation = {
      name: "put-approval-policy",
      resourceId: (answer: Answer) => ("proposalId" in answer ? answer.proposalId : "approval-policy"),
    };
    return this.#units.run((unit) => onlyOnce(unit, ask, operation, () => putPolicy(unit, ask, body)));
  }
}

async function putPolicy(unit: Unit, ask: Ask, body: PolicyBody): Promise<Answer> {
  const { book, principal } = ask.caller;
  const next = inOneForm(policyOf(body));
  await lockPolicy(unit.sql, book);
  const now = await readPolicy(unit.sql, book);
  const loosens = loosenedMembers(next, now.policy);
  if (loosens.length > 0) {
    const id = newId("prop");
    const proposal = { id, status: "Open", policy: next, loosens, againstVersion: now.version } as const;
    const proposed = { proposedBy: principal, proposedAt: new Date(), decidedBy: null, decidedAt: null };
    await insertProposal(unit.sql, book, { ...proposal, ...proposed });
    return { proposalId: id };
  }
  const same = loosenedMembers(now.policy, next).length === 0;
  if (!same) await replacePolicy(unit, { book, now, next, principal, proposal: null });
  return { policy: { ...next, dualApprovalRails: [...next.dualApprovalRails] } };
}
