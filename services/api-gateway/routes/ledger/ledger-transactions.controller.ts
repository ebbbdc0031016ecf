import { Body, Controller, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { ErrorCode } from "../../../../contracts/errors.ts";
import {
  type LedgerTransaction,
  ledgerTransaction,
  ledgerTransactionBody,
  type LedgerTransactionCreate,
  ledgerTransactionPage,
  type LedgerTransactionPosting,
  ledgerTransactionPosting,
  ledgerTransactionQuery,
  type LedgerTransactionReversal,
  ledgerTransactionReversal,
} from "../../../../contracts/http/ledger/ledger-transactions.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  CreateLedgerTransaction,
  GetLedgerTransaction,
  ListLedgerTransactions,
  PostLedgerTransaction,
  ReverseLedgerTransaction,
  VoidLedgerTransaction,
} from "../../../../contracts/messages/ledger-transactions.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";
import { rightsOf } from "./rights.ts";

const transactionId = { id: "lt" } as const;
const basisRefusals: readonly ErrorCode[] = ["basis_is_demo_data", "basis_missing_input"];
const moveRefusals: readonly ErrorCode[] = ["transaction_owned", "invalid_state_transition"];

/** Manual transactions; reads include those that the system posted. Each route sends a request to ledger. */
@ApiTags("Ledger transactions")
@Controller("v1/ledger-transactions")
export class LedgerTransactionsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Post()
  @Operation({
    id: "createLedgerTransaction",
    summary: "Create a ledger transaction",
    access: "ledger:write",
    takes: ["body"],
    writes: true,
    answers: { status: 201, schema: ledgerTransaction, as: "The transaction" },
    refusals: [
      "unbalanced_transaction",
      "ledger_account_not_found",
      "ledger_account_closed",
      "system_account_not_postable",
      "currency_mismatch",
      "insufficient_funds",
      "balance_out_of_range",
      "effective_date_invalid",
      "external_id_in_use",
      "approval_required",
      ...basisRefusals,
    ],
  })
  async create(
    @Body({ schema: ledgerTransactionBody }) body: LedgerTransactionCreate,
    @Http() http: HttpContext,
  ): Promise<LedgerTransaction> {
    const { value: transaction } = await this.#services.write(CreateLedgerTransaction, http, body);
    http.setLocation(`/v1/ledger-transactions/${transaction.id}`);
    return transaction;
  }

  @Get()
  @Operation({
    id: "listLedgerTransactions",
    summary: "List ledger transactions",
    access: "ledger:read",
    takes: ["query"],
    answers: { status: 200, schema: ledgerTransactionPage, as: "A page of transactions" },
  })
  async list(
    @Query({ schema: ledgerTransactionQuery }) query: z.infer<typeof ledgerTransactionQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<LedgerTransaction>> {
    const page = await this.#services.read(ListLedgerTransactions, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getLedgerTransaction",
    summary: "Read a ledger transaction",
    access: "ledger:read",
    path: transactionId,
    answers: { status: 200, schema: ledgerTransaction, as: "The transaction" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<LedgerTransaction> {
    return this.#services.read(GetLedgerTransaction, http, { id });
  }

  @Post(":id/post")
  @Operation({
    id: "postLedgerTransaction",
    summary: "Post a pending ledger transaction",
    audited: "LedgerTransactionPosted",
    access: "ledger:write",
    alternativeScope: "orders:approve",
    path: transactionId,
    takes: ["body"],
    writes: true,
    isDecision: true,
    // Where the policy requires an approval, posting is the approval. Callers without this scope can't approve.
    confirmedFor: "orders:approve",
    answers: { status: 200, schema: ledgerTransaction, as: "The transaction, Posted" },
    refusals: [
      ...moveRefusals,
      ...basisRefusals,
      "effective_date_invalid",
      "balance_out_of_range",
      "self_approval_not_allowed",
    ],
  })
  async post(
    @Param("id") id: string,
    @Body({ schema: ledgerTransactionPosting }) body: LedgerTransactionPosting,
    @Http() http: HttpContext,
  ): Promise<LedgerTransaction> {
    const posting = { ...body, id, ...rightsOf(http) };
    return (await this.#services.write(PostLedgerTransaction, http, posting)).value;
  }

  @Post(":id/void")
  @Operation({
    id: "voidLedgerTransaction",
    summary: "Void a pending ledger transaction",
    audited: "LedgerTransactionVoided",
    access: "ledger:write",
    alternativeScope: "orders:approve",
    path: transactionId,
    takes: ["body"],
    writes: true,
    isDecision: true,
    answers: { status: 200, schema: ledgerTransaction, as: "The transaction, Voided" },
    refusals: moveRefusals,
  })
  async void(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<LedgerTransaction> {
    return (await this.#services.write(VoidLedgerTransaction, http, { id, ...rightsOf(http) })).value;
  }

  @Post(":id/reverse")
  @Operation({
    id: "reverseLedgerTransaction",
    summary: "Reverse a posted ledger transaction",
    audited: "LedgerTransactionReversed",
    access: "ledger:write",
    path: transactionId,
    takes: ["body"],
    writes: true,
    isDecision: true,
    confirmedFor: "ledger:write",
    answers: { status: 200, schema: ledgerTransaction, as: "The transaction, reversed" },
    refusals: [
      ...moveRefusals,
      "already_reversed",
      "ledger_account_closed",
      "balance_out_of_range",
      "approval_required",
    ],
  })
  async reverse(
    @Param("id") id: string,
    @Body({ schema: ledgerTransactionReversal }) body: LedgerTransactionReversal,
    @Http() http: HttpContext,
  ): Promise<LedgerTransaction> {
    return (await this.#services.write(ReverseLedgerTransaction, http, { ...body, id })).value;
  }
}
