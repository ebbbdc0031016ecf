import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import {
  type Reconciliation,
  reconciliationCreate,
  type ReconciliationItem,
  reconciliationItemPage,
  reconciliationItemQuery,
  reconciliationPage,
  reconciliationQuery,
  type ReconciliationReport,
  reconciliationReport,
} from "../../../../contracts/http/ledger/reconciliations.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  CreateReconciliation,
  GetReconciliation,
  ListReconciliationItems,
  ListReconciliations,
} from "../../../../contracts/messages/reconciliations.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

/** Comparisons of the ledger with the bank's statements. Each route sends a request to ledger. */
@ApiTags("Reconciliations")
@Controller("v1/reconciliations")
export class ReconciliationsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "createReconciliation",
    summary: "Run a reconciliation",
    access: "ledger:write",
    takes: ["body"],
    writes: true,
    answers: { status: 201, schema: reconciliationReport, as: "The run" },
    refusals: ["rail_not_configured", "bank_statement_refused"],
  })
  async create(
    @Body({ schema: reconciliationCreate }) body: z.infer<typeof reconciliationCreate>,
    @Http() http: HttpContext,
  ): Promise<ReconciliationReport> {
    const { value } = await this.#services.write(CreateReconciliation, http, body);
    http.setLocation(`/v1/reconciliations/${value.id}`);
    return value;
  }

  @Get()
  @Operation({
    id: "listReconciliations",
    summary: "List reconciliations",
    access: "ledger:read",
    takes: ["query"],
    answers: { status: 200, schema: reconciliationPage, as: "A page of runs" },
  })
  async list(
    @Query({ schema: reconciliationQuery }) query: z.infer<typeof reconciliationQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<Reconciliation>> {
    const page = await this.#services.read(ListReconciliations, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getReconciliation",
    summary: "Read a reconciliation",
    access: "ledger:read",
    path: { id: "rec" },
    answers: { status: 200, schema: reconciliationReport, as: "The run" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<ReconciliationReport> {
    return this.#services.read(GetReconciliation, http, { id });
  }

  @Get(":id/items")
  @Operation({
    id: "listReconciliationItems",
    summary: "List a reconciliation's open items",
    access: "ledger:read",
    path: { id: "rec" },
    takes: ["query"],
    answers: { status: 200, schema: reconciliationItemPage, as: "A page of items" },
  })
  async items(
    @Param("id") id: string,
    @Query({ schema: reconciliationItemQuery }) query: z.infer<typeof reconciliationItemQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<ReconciliationItem>> {
    const page = await this.#services.read(ListReconciliationItems, http, { id, query });
    http.linkTo(page);
    return page;
  }
}
