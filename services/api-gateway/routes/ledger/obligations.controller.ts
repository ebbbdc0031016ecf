import { Body, Controller, Get, Inject, Param, Patch, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { ErrorCode } from "../../../../contracts/errors.ts";
import {
  type Obligation,
  type ObligationAmend,
  obligationAmend,
  type ObligationCreate,
  obligationCreate,
  obligationPage,
  type ObligationPatch,
  obligationPatch,
  type ObligationQuery,
  obligationQuery,
  obligationRemitBody,
  type ObligationWithHistory,
  obligationWithHistory,
} from "../../../../contracts/http/ledger/obligations.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  AmendObligation,
  CreateObligation,
  EditObligation,
  FixObligation,
  GetObligation,
  ListObligations,
  RemitObligation,
} from "../../../../contracts/messages/obligations.ts";
import { setEntityTag, ifMatchVersions } from "../../http/entity-tag.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const obligationId = { id: "ob" } as const;
const ofFigures: readonly ErrorCode[] = [
  "invalid_state_transition",
  "basis_is_demo_data",
  "basis_missing_input",
  "balance_out_of_range",
];
/** Refusals of the funding account, and of every control that applies when the order is submitted. */
const ofPayment: readonly ErrorCode[] = [
  "obligation_not_payable",
  "ledger_account_not_found",
  "system_account_not_postable",
  "ledger_account_closed",
  "counterparty_account_missing",
  "counterparty_unverified",
  "counterparty_archived",
  "counterparty_change_pending",
  "text_not_supported",
  "amount_above_rail_limit",
  "invalid_routing_number",
  "invalid_wallet_address",
  "velocity_limit_exceeded",
  "rail_not_configured",
  "simulation_not_applicable",
];

/** Liabilities with a fixed amount, each paid by one order. Each route sends a request to ledger. */
@ApiTags("Obligations")
@Controller("v1/obligations")
export class ObligationsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "createObligation",
    summary: "Create an obligation",
    access: "ledger:write",
    takes: ["body"],
    writes: true,
    hasETag: true,
    answers: { status: 201, schema: obligationWithHistory, as: "The obligation, Open" },
    refusals: ["not_found", "counterparty_archived"],
  })
  async create(
    @Body({ schema: obligationCreate }) body: ObligationCreate,
    @Http() http: HttpContext,
  ): Promise<ObligationWithHistory> {
    const { value } = await this.#services.write(CreateObligation, http, body);
    http.setLocation(`/v1/obligations/${value.id}`);
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Get()
  @Operation({
    id: "listObligations",
    summary: "List obligations",
    access: "ledger:read",
    takes: ["query"],
    answers: { status: 200, schema: obligationPage, as: "A page of obligations" },
  })
  async list(
    @Query({ schema: obligationQuery }) query: ObligationQuery,
    @Http() http: HttpContext,
  ): Promise<Page<Obligation>> {
    const page = await this.#services.read(ListObligations, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getObligation",
    summary: "Read an obligation",
    access: "ledger:read",
    path: obligationId,
    hasETag: true,
    answers: { status: 200, schema: obligationWithHistory, as: "The obligation" },
  })
  async read(@Param("id") id: string, @Http() http: HttpContext): Promise<ObligationWithHistory> {
    const found = await this.#services.read(GetObligation, http, { id });
    setEntityTag(http.reply, found.version);
    return found;
  }

  @Patch(":id")
  @Operation({
    id: "updateObligation",
    summary: "Update an obligation",
    access: "ledger:write",
    path: obligationId,
    takes: ["body"],
    writes: true,
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: obligationWithHistory, as: "The obligation" },
    refusals: ["invalid_state_transition", "counterparty_archived"],
  })
  async update(
    @Param("id") id: string,
    @Body({ schema: obligationPatch }) patch: ObligationPatch,
    @Http() http: HttpContext,
  ): Promise<ObligationWithHistory> {
    const ifMatch = ifMatchVersions(http.request);
    const { value } = await this.#services.write(EditObligation, http, { id, patch, ifMatch });
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Post(":id/fix")
  @Operation({
    id: "fixObligation",
    summary: "Fix an obligation",
    access: "ledger:write",
    path: obligationId,
    takes: ["body"],
    writes: true,
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: obligationWithHistory, as: "The obligation, Fixed" },
    refusals: [...ofFigures, "name_taken"],
  })
  async fix(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<ObligationWithHistory> {
    const ifMatch = ifMatchVersions(http.request);
    const { value } = await this.#services.write(FixObligation, http, { id, ifMatch });
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Post(":id/amend")
  @Operation({
    id: "amendObligation",
    summary: "Amend an obligation",
    access: "ledger:write",
    path: obligationId,
    takes: ["body"],
    writes: true,
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: obligationWithHistory, as: "The obligation, Fixed or Relieved" },
    refusals: [...ofFigures, "amended_below_paid"],
  })
  async amend(
    @Param("id") id: string,
    @Body({ schema: obligationAmend }) amendment: ObligationAmend,
    @Http() http: HttpContext,
  ): Promise<ObligationWithHistory> {
    const ifMatch = ifMatchVersions(http.request);
    const { value } = await this.#services.write(AmendObligation, http, { id, amendment, ifMatch });
    setEntityTag(http.reply, value.version);
    return value;
  }

  @Post(":id/remit")
  @Operation({
    id: "remitObligation",
    summary: "Remit an obligation",
    // It creates a payment order, so it needs the scope for that.
    access: "orders:write",
    path: obligationId,
    takes: ["body"],
    writes: true,
    hasETag: true,
    takesIfMatch: true,
    answers: { status: 200, schema: obligationWithHistory, as: "The obligation, Remitting" },
    refusals: ofPayment,
  })
  async remit(
    @Param("id") id: string,
    @Body({ schema: obligationRemitBody }) remittance: z.infer<typeof obligationRemitBody>,
    @Http() http: HttpContext,
  ): Promise<ObligationWithHistory> {
    const ifMatch = ifMatchVersions(http.request);
    const { value } = await this.#services.write(RemitObligation, http, { id, remittance, ifMatch });
    setEntityTag(http.reply, value.version);
    return value;
  }
}
