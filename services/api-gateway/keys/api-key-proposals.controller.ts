import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import {
  type ApiKeyProposal,
  type ApiKeyProposalQuery,
  apiKeyProposal,
  apiKeyProposalPage,
  apiKeyProposalQuery,
} from "../../../contracts/http/api-keys.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { Database } from "../../platform/persistence/database.ts";
import { approveKeyProposal, denyKeyProposal, parseProposalId } from "./decide-proposal.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { KeyCache } from "../auth/key-cache.ts";
import { KeyAuditLog } from "../audit/key-audit-log.ts";
import { SendApprovalRights } from "./send-approval-rights.ts";
import { noBody } from "../operation/no-body.ts";
import { Operation } from "../operation/operation.ts";
import { GatewayWrites } from "../upstream/gateway-writes.ts";
import { findKeyProposals } from "./query-keys.ts";

const proposalId = { id: "prop" } as const;

/** Keys that need the approval of a second principal. */
@ApiTags("API keys")
@Controller("v1/api-keys/proposals")
export class ApiKeyProposalsController {
  readonly #writes: GatewayWrites;
  readonly #database: Database;
  readonly #known: KeyCache;
  readonly #rights: SendApprovalRights;

  constructor(
    @Inject(GatewayWrites) writes: GatewayWrites,
    @Inject(Database) database: Database,
    @Inject(KeyCache) known: KeyCache,
    @Inject(SendApprovalRights) rights: SendApprovalRights,
  ) {
    this.#writes = writes;
    this.#database = database;
    this.#known = known;
    this.#rights = rights;
  }

  @Get()
  @Operation({
    id: "listApiKeyProposals",
    summary: "List proposed API keys",
    access: "keys:write",
    takes: ["query"],
    answers: { status: 200, schema: apiKeyProposalPage, as: "A page of proposals" },
  })
  async list(
    @Query({ schema: apiKeyProposalQuery }) query: ApiKeyProposalQuery,
    @Http() http: HttpContext,
  ): Promise<Page<ApiKeyProposal>> {
    const page = await findKeyProposals(this.#database.sql, http.known, query);
    http.linkTo(page);
    return page;
  }

  @Post(":id/approve")
  @Operation({
    id: "approveApiKeyProposal",
    summary: "Approve a proposed API key",
    access: "keys:write",
    path: proposalId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: apiKeyProposal, as: "The proposal. Its key can be used now" },
    refusals: ["invalid_state_transition", "self_approval_not_allowed"],
  })
  async approve(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: Record<string, never>,
    @Http() http: HttpContext,
  ): Promise<ApiKeyProposal> {
    const approved = await this.#writes.once(http, "approve-api-key", async (unit) => {
      const decided = await approveKeyProposal(unit, http.known, parseProposalId(id));
      await new KeyAuditLog(unit, http).addDecided(decided);
      return decided;
    });
    // This instance may have cached that the key does not exist.
    this.#known.clear();
    // The key can be used without that: the approval of an order carries its principal's right.
    await this.#rights.send(http, [approved.apiKey.principal]);
    return approved;
  }

  @Post(":id/deny")
  @Operation({
    id: "denyApiKeyProposal",
    summary: "Deny a proposed API key",
    access: "keys:write",
    path: proposalId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: apiKeyProposal, as: "The proposal" },
    refusals: ["invalid_state_transition"],
  })
  async deny(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: Record<string, never>,
    @Http() http: HttpContext,
  ): Promise<ApiKeyProposal> {
    const denied = await this.#writes.once(http, "deny-api-key", async (unit) => {
      const decided = await denyKeyProposal(unit, http.known, parseProposalId(id));
      await new KeyAuditLog(unit, http).addDecided(decided);
      return decided;
    });
    // This instance may have cached that the key waits.
    this.#known.clear();
    return denied;
  }
}
