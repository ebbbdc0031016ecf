import { Controller, Get, Inject, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import {
  type LedgerJournal,
  ledgerJournalPage,
  ledgerJournalQuery,
  type LedgerProof,
  ledgerProof,
} from "../../../../contracts/http/ledger/ledger-proof.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import { GetLedgerProof, ListLedgerJournals } from "../../../../contracts/messages/proofs.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

/** Proofs and exports of a book. Each route sends a request to ledger. */
@ApiTags("Ledger proof")
@Controller("v1/ledger")
export class LedgerProofController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get("proof")
  @Operation({
    id: "getLedgerProof",
    summary: "Read the ledger proof",
    access: "ledger:read",
    answers: { status: 200, schema: ledgerProof, as: "The book's proof" },
    refusals: ["balance_out_of_range"],
  })
  proof(@Http() http: HttpContext): Promise<LedgerProof> {
    return this.#services.read(GetLedgerProof, http, {});
  }

  @Get("journals")
  @Operation({
    id: "listLedgerJournals",
    summary: "List journals",
    access: "ledger:read",
    takes: ["query"],
    answers: { status: 200, schema: ledgerJournalPage, as: "A page of journals" },
  })
  async journals(
    @Query({ schema: ledgerJournalQuery }) query: z.infer<typeof ledgerJournalQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<LedgerJournal>> {
    const page = await this.#services.read(ListLedgerJournals, http, query);
    http.linkTo(page);
    return page;
  }
}
