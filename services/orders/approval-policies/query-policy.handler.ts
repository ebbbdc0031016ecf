import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type {
  PolicyProposal,
  policyProposalQuery,
} from "../../../contracts/http/payments/approval-policies.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { GetApprovalPolicy, ListPolicyProposals } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { readPolicy } from "./store/approval-policies.ts";
import { listProposals, type Proposal } from "./store/policy-proposals.ts";

/** A proposal as its book sees it. */
export function proposalView(proposal: Proposal): PolicyProposal {
  const { policy, loosens, proposedAt, decidedAt, againstVersion: _internal, ...same } = proposal;
  return {
    ...same,
    policy: { ...policy, dualApprovalRails: [...policy.dualApprovalRails] },
    loosens: [...loosens],
    proposedAt: proposedAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
  };
}

/** Reads of a book's approval policy and of what was proposed. */
@Controller()
export class ReadApprovalPolicy {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** The policy in force: the default one where the book has put none. */
  @HandlesRequest(GetApprovalPolicy)
  async get(_nothing: object, ask: RequestContext) {
    const { policy } = await readPolicy(this.#database.sql, ask.caller.book);
    return { ...policy, dualApprovalRails: [...policy.dualApprovalRails] };
  }

  /** Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListPolicyProposals)
  async list(query: z.output<typeof policyProposalQuery>, ask: RequestContext) {
    const found = await listProposals(this.#database.sql, ask.caller.book, query, uuidAfter(query));
    return pageOfRows(found, query.limit, proposalView, ({ id }) => uuidOf(id), query);
  }
}
