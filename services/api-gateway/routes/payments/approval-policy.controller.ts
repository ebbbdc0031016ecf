import { Body, Controller, Get, Inject, Param, Post, Put, Query, Res } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import {
  type ApprovalPolicy,
  approvalPolicy,
  type ApprovalPolicyPreview,
  approvalPolicyPreview,
  type ApprovalPolicyPut,
  approvalPolicyPut,
  type PolicyProposal,
  policyProposal,
  policyProposalPage,
  policyProposalQuery,
  policyProposedAnswer,
} from "../../../../contracts/http/payments/approval-policies.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  DecidePolicyProposal,
  GetApprovalPolicy,
  ListPolicyProposals,
  PreviewApprovalPolicy,
  PutApprovalPolicy,
} from "../../../../contracts/messages/orders.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const proposalId = { id: "prop" } as const;
const decided = {
  access: "policy:write",
  path: proposalId,
  takes: ["body"],
  writes: true,
  refusals: ["self_approval_not_allowed", "invalid_state_transition"],
} as const;

/** The rules by which a book's orders need approvals. Each route sends a request to orders. */
@ApiTags("Approval policy")
@Controller("v1/approval-policy")
export class ApprovalPolicyController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "getApprovalPolicy",
    summary: "Read the approval policy",
    access: "orders:read",
    answers: { status: 200, schema: approvalPolicy, as: "The policy" },
  })
  read(@Http() http: HttpContext): Promise<ApprovalPolicy> {
    return this.#services.read(GetApprovalPolicy, http, {});
  }

  @Put()
  @Operation({
    id: "putApprovalPolicy",
    summary: "Replace the approval policy",
    audited: "PolicyChanged",
    auditedProposal: "PolicyProposed",
    access: "policy:write",
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: approvalPolicy, as: "The policy, in force" },
    secondAnswer: {
      status: 202,
      schema: policyProposedAnswer,
      as: "The proposal, for another principal to approve",
    },
  })
  async put(
    @Body({ schema: approvalPolicyPut }) body: ApprovalPolicyPut,
    @Http() http: HttpContext,
    // The answer of orders decides between status 200 and 202.
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { value } = await this.#services.write(PutApprovalPolicy, http, body);
    if ("proposalId" in value) await reply.status(202).send(value);
    else await reply.status(200).send(value.policy);
  }

  @Post("preview")
  @Operation({
    id: "previewApprovalPolicy",
    summary: "Preview an approval policy",
    access: "orders:read",
    takes: ["body"],
    answers: { status: 200, schema: approvalPolicyPreview, as: "The preview" },
  })
  preview(
    @Body({ schema: approvalPolicyPut }) body: ApprovalPolicyPut,
    @Http() http: HttpContext,
  ): Promise<ApprovalPolicyPreview> {
    return this.#services.read(PreviewApprovalPolicy, http, body);
  }

  @Get("proposals")
  @Operation({
    id: "listPolicyProposals",
    summary: "List proposed policies",
    access: "orders:read",
    takes: ["query"],
    answers: { status: 200, schema: policyProposalPage, as: "A page of proposals" },
  })
  async list(
    @Query({ schema: policyProposalQuery }) query: z.infer<typeof policyProposalQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<PolicyProposal>> {
    const page = await this.#services.read(ListPolicyProposals, http, query);
    http.linkTo(page);
    return page;
  }

  @Post("proposals/:id/approve")
  @Operation({
    id: "approvePolicyProposal",
    summary: "Approve a proposed policy",
    audited: "PolicyApproved",
    ...decided,
    answers: { status: 200, schema: policyProposal, as: "The proposal, Approved" },
  })
  async approve(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<PolicyProposal> {
    return (await this.#services.write(DecidePolicyProposal, http, { id, decision: "Approve" })).value;
  }

  @Post("proposals/:id/deny")
  @Operation({
    id: "denyPolicyProposal",
    summary: "Deny a proposed policy",
    audited: "PolicyDenied",
    ...decided,
    answers: { status: 200, schema: policyProposal, as: "The proposal, Denied" },
  })
  async deny(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<PolicyProposal> {
    return (await this.#services.write(DecidePolicyProposal, http, { id, decision: "Deny" })).value;
  }
}
