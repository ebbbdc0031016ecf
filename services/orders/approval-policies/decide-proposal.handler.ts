import { Controller, Inject } from "@nestjs/common";
import { isId } from "../../../contracts/ids/ids.ts";
import { DecidePolicyProposal as DecideRequest } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { checkDecision } from "./check-decision.ts";
import { replacePolicy } from "./replace-policy.ts";
import { SendPolicyToLedger } from "./send-policy-to-ledger.ts";
import { proposalView } from "./query-policy.handler.ts";
import { lockPolicy, readPolicy } from "./store/approval-policies.ts";
import { saveDecision, type Proposal, readProposal } from "./store/policy-proposals.ts";

interface Decision {
  readonly id: string;
  readonly decision: "Approve" | "Deny";
}

/** Approves or denies a proposed policy, requested by a second principal. */
@Controller()
export class DecidePolicyProposal {
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
   * Refusals: `not_found`, `invalid_state_transition`, `self_approval_not_allowed`; those of `SendPolicyToLedger`,
   * after the policy is stored.
   */
  @HandlesRequest(DecideRequest)
  async decide(target: Decision, request: RequestContext) {
    const operation = { name: "decide-policy-proposal", resourceId: () => target.id };
    const answer = await this.#units.runFor(request, (unit) =>
      withIdempotency(unit, request, operation, async () =>
        proposalView(await decide(unit, request, target)),
      ),
    );
    if (target.decision === "Approve") await this.#ledger.send(request);
    return answer;
  }
}

async function decide(
  unit: UnitOfWork,
  request: RequestContext,
  { id, decision }: Decision,
): Promise<Proposal> {
  const { book, principal } = request.caller;
  if (!isId("prop", id)) throw notFound("policy proposal");
  await lockPolicy(unit.sql, book);
  const [proposal, inForce] = await Promise.all([
    readProposal(unit.em, book, id),
    readPolicy(unit.sql, book),
  ]);
  if (proposal === undefined) throw notFound("policy proposal");
  checkDecision(proposal, principal);
  const decided = { ...proposal, decidedBy: principal, decidedAt: realTime() };
  if (decision === "Deny") return write(unit, request, { ...decided, status: "Denied" });
  if (inForce.version !== proposal.againstVersion) {
    throw new Error(`proposal ${id} is open, but the policy that it was compared with is no longer in force`);
  }
  // Approved before the policy is replaced, which supersedes all open proposals.
  const approved = await write(unit, request, { ...decided, status: "Approved" });
  await replacePolicy(unit, { book, inForce, next: proposal.policy, principal, proposal: proposal.id });
  return approved;
}

async function write(unit: UnitOfWork, request: RequestContext, decided: Proposal): Promise<Proposal> {
  await saveDecision(unit.em, request.caller.book, decided);
  return decided;
}
