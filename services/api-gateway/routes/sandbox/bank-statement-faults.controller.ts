import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import {
  type StatementFault,
  statementFault,
  type StatementFaultCreate,
  statementFaultCreate,
  statementFaultPage,
  statementFaultQuery,
} from "../../../../contracts/http/sandbox/bank-statement-faults.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  CorrectStatementFault,
  CreateStatementFault,
  GetStatementFault,
  ListStatementFaults,
} from "../../../../contracts/messages/bank-statements.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

/** Errors that a tester requests in bank statements. Each route sends a request to rails. */
@ApiTags("Simulations")
@Controller("v1/simulations/bank-statement-faults")
export class BankStatementFaultsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "createBankStatementFault",
    summary: "Create a bank statement error",
    access: "simulate",
    takes: ["body"],
    writes: true,
    testKeysOnly: true,
    answers: { status: 201, schema: statementFault, as: "The error, waiting for the next statement" },
    refusals: ["not_found", "simulation_not_applicable"],
  })
  async create(
    @Body({ schema: statementFaultCreate }) body: StatementFaultCreate,
    @Http() http: HttpContext,
  ): Promise<StatementFault> {
    const { value } = await this.#services.write(CreateStatementFault, http, body);
    http.setLocation(`/v1/simulations/bank-statement-faults/${value.id}`);
    return value;
  }

  @Get()
  @Operation({
    id: "listBankStatementFaults",
    summary: "List bank statement errors",
    access: "simulate",
    takes: ["query"],
    testKeysOnly: true,
    answers: { status: 200, schema: statementFaultPage, as: "A page of errors" },
  })
  async list(
    @Query({ schema: statementFaultQuery }) query: z.infer<typeof statementFaultQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<StatementFault>> {
    const page = await this.#services.read(ListStatementFaults, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getBankStatementFault",
    summary: "Read a bank statement error",
    access: "simulate",
    path: { id: "bsf" },
    testKeysOnly: true,
    answers: { status: 200, schema: statementFault, as: "The error" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<StatementFault> {
    return this.#services.read(GetStatementFault, http, { id });
  }

  @Post(":id/correct")
  @Operation({
    id: "correctBankStatementFault",
    summary: "Correct a bank statement error",
    access: "simulate",
    path: { id: "bsf" },
    takes: ["body"],
    writes: true,
    testKeysOnly: true,
    answers: { status: 200, schema: statementFault, as: "The error" },
  })
  async correct(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<StatementFault> {
    const { value } = await this.#services.write(CorrectStatementFault, http, { id });
    return value;
  }
}
