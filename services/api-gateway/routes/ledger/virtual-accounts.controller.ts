import { Body, Controller, Get, Inject, Param, Patch, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  type VirtualAccount,
  virtualAccount,
  type VirtualAccountCreate,
  virtualAccountCreate,
  virtualAccountPage,
  type VirtualAccountPatch,
  virtualAccountPatch,
  virtualAccountQuery,
} from "../../../../contracts/http/ledger/virtual-accounts.ts";
import {
  ChangeVirtualAccount,
  CreateVirtualAccount,
  GetVirtualAccount,
  ListVirtualAccounts,
  UpdateVirtualAccount,
} from "../../../../contracts/messages/virtual-accounts.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const virtualAccountId = { id: "va" } as const;
const changes = {
  access: "ledger:write",
  path: virtualAccountId,
  takes: ["body"],
  writes: true,
} as const;

/** Account numbers that others send money to. Each route sends a request to ledger. */
@ApiTags("Virtual accounts")
@Controller("v1/virtual-accounts")
export class VirtualAccountsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "createVirtualAccount",
    summary: "Create a virtual account",
    access: "ledger:write",
    takes: ["body"],
    writes: true,
    answers: { status: 201, schema: virtualAccount, as: "The virtual account, with its number" },
    refusals: [
      "not_found",
      "counterparty_archived",
      "external_id_in_use",
      "ledger_account_not_found",
      "ledger_account_closed",
      "system_account_not_postable",
    ],
  })
  async create(
    @Body({ schema: virtualAccountCreate }) body: VirtualAccountCreate,
    @Http() http: HttpContext,
  ): Promise<VirtualAccount> {
    const { value } = await this.#services.write(CreateVirtualAccount, http, body);
    http.setLocation(`/v1/virtual-accounts/${value.id}`);
    return value;
  }

  @Get()
  @Operation({
    id: "listVirtualAccounts",
    summary: "List virtual accounts",
    access: "ledger:read",
    takes: ["query"],
    answers: { status: 200, schema: virtualAccountPage, as: "A page of virtual accounts" },
  })
  async list(
    @Query({ schema: virtualAccountQuery }) query: z.infer<typeof virtualAccountQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<VirtualAccount>> {
    const page = await this.#services.read(ListVirtualAccounts, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getVirtualAccount",
    summary: "Read a virtual account",
    access: "ledger:read",
    path: virtualAccountId,
    answers: { status: 200, schema: virtualAccount, as: "The virtual account" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<VirtualAccount> {
    return this.#services.read(GetVirtualAccount, http, { id });
  }

  @Patch(":id")
  @Operation({
    ...changes,
    id: "updateVirtualAccount",
    summary: "Update a virtual account",
    answers: { status: 200, schema: virtualAccount, as: "The virtual account" },
  })
  async update(
    @Param("id") id: string,
    @Body({ schema: virtualAccountPatch }) patch: VirtualAccountPatch,
    @Http() http: HttpContext,
  ): Promise<VirtualAccount> {
    return (await this.#services.write(UpdateVirtualAccount, http, { id, patch })).value;
  }

  @Post(":id/disable")
  @Operation({
    ...changes,
    id: "disableVirtualAccount",
    summary: "Disable a virtual account",
    answers: { status: 200, schema: virtualAccount, as: "The virtual account, Disabled" },
    refusals: ["invalid_state_transition"],
  })
  disable(@Param("id") id: string, @Body({ schema: noBody }) _body: object, @Http() http: HttpContext) {
    return this.#change(id, "Disable", http);
  }

  @Post(":id/enable")
  @Operation({
    ...changes,
    id: "enableVirtualAccount",
    summary: "Enable a virtual account",
    answers: { status: 200, schema: virtualAccount, as: "The virtual account, Active" },
    refusals: ["invalid_state_transition"],
  })
  enable(@Param("id") id: string, @Body({ schema: noBody }) _body: object, @Http() http: HttpContext) {
    return this.#change(id, "Enable", http);
  }

  @Post(":id/close")
  @Operation({
    ...changes,
    id: "closeVirtualAccount",
    summary: "Close a virtual account",
    answers: { status: 200, schema: virtualAccount, as: "The virtual account, Closed" },
  })
  close(@Param("id") id: string, @Body({ schema: noBody }) _body: object, @Http() http: HttpContext) {
    return this.#change(id, "Close", http);
  }

  async #change(
    id: string,
    action: "Disable" | "Enable" | "Close",
    http: HttpContext,
  ): Promise<VirtualAccount> {
    const { value } = await this.#services.write(ChangeVirtualAccount, http, { id, action });
    return value;
  }
}
