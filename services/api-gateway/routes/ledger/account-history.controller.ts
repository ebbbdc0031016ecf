import { Controller, Get, Inject, Param, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import {
  type BalanceHistory,
  balanceHistory,
  type BalanceHistoryQuery,
  balanceHistoryQuery,
  type LedgerAccountJournal,
  ledgerAccountJournalPage,
  ledgerAccountJournalQuery,
} from "../../../../contracts/http/ledger/account-history.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import { GetBalanceHistory, ListAccountJournals } from "../../../../contracts/messages/ledger.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

const accountId = { id: "la" } as const;

/** What happened on ledger accounts. Each route sends a request to ledger. */
@ApiTags("Ledger accounts")
@Controller("v1/ledger-accounts")
export class AccountHistoryController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get(":id/journals")
  @Operation({
    id: "listLedgerAccountJournals",
    summary: "List an account's journals",
    access: "ledger:read",
    path: accountId,
    takes: ["query"],
    answers: { status: 200, schema: ledgerAccountJournalPage, as: "A page of journals" },
    refusals: ["balance_out_of_range"],
  })
  async journals(
    @Param("id") id: string,
    @Query({ schema: ledgerAccountJournalQuery }) query: z.infer<typeof ledgerAccountJournalQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<LedgerAccountJournal>> {
    const page = await this.#services.read(ListAccountJournals, http, { ledgerAccountId: id, query });
    http.linkTo(page);
    return page;
  }

  @Get(":id/balance-history")
  @Operation({
    id: "getLedgerAccountBalanceHistory",
    summary: "Read an account's balances over time",
    access: "ledger:read",
    path: accountId,
    takes: ["query"],
    answers: { status: 200, schema: balanceHistory, as: "The balances at each interval's end" },
    refusals: ["missing_field", "balance_out_of_range"],
    readsAsList: true,
  })
  history(
    @Param("id") id: string,
    @Query({ schema: balanceHistoryQuery }) query: BalanceHistoryQuery,
    @Http() http: HttpContext,
  ): Promise<BalanceHistory> {
    return this.#services.read(GetBalanceHistory, http, { ledgerAccountId: id, query });
  }
}
