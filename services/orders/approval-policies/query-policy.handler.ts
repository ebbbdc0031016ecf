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

/** Reads a book's approval policy and its proposals. */
@Controller()
export class QueryApprovalPolicy {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** The policy in force; the default policy if the book has none. */
  @HandlesRequest(GetApprovalPolicy)
  async get(_nothing: object, { caller: { book } }: RequestContext) {
    const { policy } = await readPolicy(this.#database.sql, book);
    return { ...policy, dualApprovalRails: [...policy.dualApprovalRails] };
  }

  /** Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListPolicyProposals)
  async list(query: z.output<typeof policyProposalQuery>, { caller: { book } }: RequestContext) {
    const asked = { ...query, list: "policy-proposals" };
    const after = uuidAfter(asked);
    const found = await this.#database.readEntities((em) => listProposals(em, book, query, after));
    return pageOfRows(found, query.limit, proposalView, ({ id }) => uuidOf(id), asked);
  }
}
