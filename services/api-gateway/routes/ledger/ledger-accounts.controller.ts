import { Body, Controller, Get, Inject, Param, Patch, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { z } from "zod";
import type { BookId } from "../../../../contracts/ids/ids.ts";
import { Refusal } from "../../../../contracts/errors.ts";
import {
  type LedgerAccount,
  ledgerAccount,
  type LedgerAccountCreate,
  ledgerAccountCreate,
  ledgerAccountMoment,
  ledgerAccountPage,
  type LedgerAccountPatch,
  ledgerAccountPatch,
  ledgerAccountQuery,
  type LedgerEntry,
  ledgerEntry,
  ledgerEntryQuery,
  type MomentQuery,
} from "../../../../contracts/http/ledger/ledger-accounts.ts";
import {
  type Statement,
  statement,
  type StatementQuery,
  statementQueryString,
} from "../../../../contracts/http/ledger/statements.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  CloseLedgerAccount,
  CreateLedgerAccount,
  GetLedgerAccount,
  GetStatement,
  ListLedgerAccounts,
  ListLedgerEntries,
  UpdateLedgerAccount,
} from "../../../../contracts/messages/ledger.ts";
import { Turns } from "../../../platform/handlers/turns.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { statementFile, wantsCsv } from "./statement-file.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const accountId = { id: "la" } as const;

/** Ledger accounts and their entries. Each route sends a request to ledger. */
@ApiTags("Ledger accounts")
@Controller("v1/ledger-accounts")
export class LedgerAccountsController {
  readonly #services: ServiceClient;
  /** A page of a file is as large as five of a list, and a book's files would take all of the ledger's time. */
  readonly #filePages = new Turns<BookId>({ perKey: 1 });

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "createLedgerAccount",
    summary: "Create a ledger account",
    access: "ledger:write",
    takes: ["body"],
    writes: true,
    answers: { status: 201, schema: ledgerAccount, as: "The account" },
    refusals: ["name_taken", "external_id_in_use"],
  })
  async create(
    @Body({ schema: ledgerAccountCreate }) body: LedgerAccountCreate,
    @Http() http: HttpContext,
  ): Promise<LedgerAccount> {
    const { value: account } = await this.#services.write(CreateLedgerAccount, http, body);
    http.setLocation(`/v1/ledger-accounts/${account.id}`);
    return account;
  }

  @Get()
  @Operation({
    id: "listLedgerAccounts",
    summary: "List ledger accounts",
    access: "ledger:read",
    takes: ["query"],
    answers: { status: 200, schema: ledgerAccountPage, as: "A page of accounts" },
    refusals: ["balance_out_of_range"],
  })
  async list(
    @Query({ schema: ledgerAccountQuery }) query: z.infer<typeof ledgerAccountQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<LedgerAccount>> {
    const page = await this.#services.read(ListLedgerAccounts, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getLedgerAccount",
    summary: "Read a ledger account",
    access: "ledger:read",
    path: accountId,
    takes: ["query"],
    answers: { status: 200, schema: ledgerAccount, as: "The account" },
    refusals: ["balance_out_of_range"],
  })
  read(
    @Param("id") id: string,
    @Query({ schema: ledgerAccountMoment }) query: MomentQuery,
    @Http() http: HttpContext,
  ): Promise<LedgerAccount> {
    return this.#services.read(GetLedgerAccount, http, { id, ...query });
  }

  @Patch(":id")
  @Operation({
    id: "updateLedgerAccount",
    summary: "Update a ledger account",
    access: "ledger:write",
    path: accountId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: ledgerAccount, as: "The account" },
    refusals: ["system_account_not_postable", "balance_out_of_range"],
  })
  async update(
    @Param("id") id: string,
    @Body({ schema: ledgerAccountPatch }) patch: LedgerAccountPatch,
    @Http() http: HttpContext,
  ): Promise<LedgerAccount> {
    return (await this.#services.write(UpdateLedgerAccount, http, { id, patch })).value;
  }

  @Post(":id/close")
  @Operation({
    id: "closeLedgerAccount",
    summary: "Close a ledger account",
    access: "ledger:write",
    path: accountId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: ledgerAccount, as: "The account, Closed" },
    refusals: ["invalid_state_transition", "system_account_not_postable", "balance_out_of_range"],
  })
  async close(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<LedgerAccount> {
    return (await this.#services.write(CloseLedgerAccount, http, { id })).value;
  }

  /** The only list whose answer is a bare array, as callers were promised; `Link` has the cursor. */
  @Get(":id/entries")
  @Operation({
    id: "listLedgerEntries",
    summary: "List an account's entries",
    access: "ledger:read",
    path: accountId,
    takes: ["query"],
    answers: { status: 200, schema: z.array(ledgerEntry), as: "A page of entries" },
  })
  async entries(
    @Param("id") id: string,
    @Query({ schema: ledgerEntryQuery }) query: z.infer<typeof ledgerEntryQuery>,
    @Http() http: HttpContext,
  ): Promise<LedgerEntry[]> {
    const page = await this.#services.read(ListLedgerEntries, http, { ledgerAccountId: id, query });
    http.linkTo(page);
    return page.data;
  }

  /** As JSON in pages, or with `Accept: text/csv` as one file. */
  @Get(":id/statement")
  @Operation({
    id: "getLedgerAccountStatement",
    summary: "Read an account's statement",
    access: "ledger:read",
    path: accountId,
    takes: ["query"],
    answers: { status: 200, schema: statement, as: "A page of the statement, or the whole of it as CSV" },
    alsoAsCsv: true,
    refusals: ["missing_field", "balance_out_of_range"],
  })
  async statement(
    @Param("id") id: string,
    @Query({ schema: statementQueryString }) query: StatementQuery,
    @Http() http: HttpContext,
  ): Promise<Statement | string> {
    const read = (asked: StatementQuery) =>
      this.#services.read(GetStatement, http, { ledgerAccountId: id, query: asked });
    http.reply.header("vary", "accept");
    if (wantsCsv(http.request.headers.accept)) {
      const file = await statementFile(query, (asked) =>
        this.#filePages.run(http.known.book, () => {
          // The caller has hung up: a file takes many pages, and nobody would read the rest.
          if (http.reply.raw.destroyed) throw new Refusal("invalid_request", "The caller has hung up.");
          return read(asked);
        }),
      );
      const name = `statement-${id}-${query.from}-${query.to}.csv`;
      http.reply.type("text/csv; charset=utf-8; header=present");
      http.reply.header("content-disposition", `attachment; filename="${name}"`);
      return file;
    }
    const page = await read(query);
    http.linkTo(page);
    return page;
  }
}
