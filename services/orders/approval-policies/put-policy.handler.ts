import { Controller, Inject } from "@nestjs/common";
import type {
  ApprovalPolicy as PolicyBody,
  ApprovalPolicyPut,
} from "../../../contracts/http/payments/approval-policies.ts";
import { newId, type ProposalId } from "../../../contracts/ids/ids.ts";
import { PutApprovalPolicy as PutApprovalPolicyRequest } from "../../../contracts/messages/orders.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { HandlesRequest, IdempotentReplay, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { isSamePolicy, loosenedMembers, nextPolicy } from "../order/approval-policy.ts";
import { replacePolicy } from "./replace-policy.ts";
import { SendPolicyToLedger } from "./send-policy-to-ledger.ts";
import { lockPolicy, readPolicy } from "./store/approval-policies.ts";
import { insertProposal } from "./store/policy-proposals.ts";

type Answer = { policy: PolicyBody } | { proposalId: ProposalId };

/** Replaces a book's approval policy at once if it loosens nothing; otherwise proposes the whole policy. */
@Controller()
export class PutApprovalPolicy {
  readonly #units: UnitOfWorkRunner;

  readonly #ledger: SendPolicyToLedger;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(SendPolicyToLedger) ledger: SendPolicyToLedger,
  ) {
    this.#units = units;
    this.#ledger = ledger;
  }

  /**
   * Answers with the policy if it is in force now, changed or not; with the proposal if another principal must agree.
   * Refusals: those of `SendPolicyToLedger`, after the policy is stored.
   */
  @HandlesRequest(PutApprovalPolicyRequest)
  async put(body: ApprovalPolicyPut, request: RequestContext) {
    const operation = {
      name: "put-approval-policy",
      resourceId: (answer: Answer) => ("proposalId" in answer ? answer.proposalId : "approval-policy"),
    };
    const answer = await this.#units.runFor(request, (unit) =>
      withIdempotency(unit, request, operation, () => putPolicy(unit, request, body)),
    );
    const isInForce = !("proposalId" in (answer instanceof IdempotentReplay ? answer.value : answer));
    if (isInForce) await this.#ledger.send(request);
    return answer;
  }
}

async function putPolicy(
  unit: UnitOfWork,
  request: RequestContext,
  body: ApprovalPolicyPut,
): Promise<Answer> {
  const { book, principal } = request.caller;
  await lockPolicy(unit.sql, book);
  const inForce = await readPolicy(unit.sql, book);
  const next = nextPolicy(body, inForce.policy);
  const loosens = loosenedMembers(next, inForce.policy);
  if (loosens.length > 0) {
    const id = newId("prop");
    const proposal = { id, status: "Open", policy: next, loosens, againstVersion: inForce.version } as const;
    const proposed = { proposedBy: principal, proposedAt: realTime(), decidedBy: null, decidedAt: null };
    await insertProposal(unit.em, book, { ...proposal, ...proposed });
    return { proposalId: id };
  }
  if (!isSamePolicy(next, inForce.policy))
    await replacePolicy(unit, { book, inForce, next, principal, proposal: null });
  return { policy: { ...next, dualApprovalRails: [...next.dualApprovalRails] } };
}
