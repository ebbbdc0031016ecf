import { Body, Controller, Get, Inject, Param, Post, Query, Res } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import {
  type InboundPayment,
  inboundPayment,
  type InboundPaymentAssign,
  inboundPaymentAssign,
  inboundPaymentPage,
  inboundPaymentQuery,
} from "../../../../contracts/http/ledger/inbound-payments.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  AssignInboundPayment,
  GetInboundPayment,
  ListInboundPayments,
} from "../../../../contracts/messages/inbound.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";
import { rightsOf } from "./rights.ts";

const inboundPaymentId = { id: "ip" } as const;

/** Payments received from others. Each route sends a request to ledger. */
@ApiTags("Inbound payments")
@Controller("v1/inbound-payments")
export class InboundPaymentsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "listInboundPayments",
    summary: "List inbound payments",
    access: "ledger:read",
    takes: ["query"],
    answers: { status: 200, schema: inboundPaymentPage, as: "A page of inbound payments" },
  })
  async list(
    @Query({ schema: inboundPaymentQuery }) query: z.infer<typeof inboundPaymentQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<InboundPayment>> {
    const page = await this.#services.read(ListInboundPayments, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getInboundPayment",
    summary: "Read an inbound payment",
    access: "ledger:read",
    path: inboundPaymentId,
    answers: { status: 200, schema: inboundPayment, as: "The inbound payment" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<InboundPayment> {
    return this.#services.read(GetInboundPayment, http, { id });
  }

  @Post(":id/assign")
  @Operation({
    id: "assignInboundPayment",
    summary: "Assign an inbound payment",
    audited: "InboundPaymentAssigned",
    auditedProposal: "InboundAssignmentProposed",
    access: "ledger:write",
    alternativeScope: "orders:approve",
    path: inboundPaymentId,
    takes: ["body"],
    writes: true,
    isDecision: true,
    confirmedFor: "ledger:write",
    answers: { status: 200, schema: inboundPayment, as: "The inbound payment, Assigned" },
    secondAnswer: {
      status: 202,
      schema: inboundPayment,
      as: "The inbound payment, Suspended, with a proposal for another principal to approve",
    },
    refusals: [
      "invalid_state_transition",
      "ledger_account_not_found",
      "ledger_account_closed",
      "system_account_not_postable",
      "balance_out_of_range",
      "self_approval_not_allowed",
    ],
  })
  async assign(
    @Param("id") id: string,
    @Body({ schema: inboundPaymentAssign }) assignment: InboundPaymentAssign,
    @Http() http: HttpContext,
    // What the ledger did decides between status 200 and 202.
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = { id, assignment, ...rightsOf(http) };
    const { value } = await this.#services.write(AssignInboundPayment, http, request);
    await reply.status(value.status === "Suspended" ? 202 : 200).send(value);
  }
}
