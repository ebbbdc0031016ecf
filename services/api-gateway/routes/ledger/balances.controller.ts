import { Controller, Get, Inject, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import { type Balances, balances, balancesQuery } from "../../../../contracts/http/ledger/ledger-accounts.ts";
import { GetBalances } from "../../../../contracts/messages/ledger.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

/** Balances of a book. Each route sends a request to ledger. */
@ApiTags("Balances")
@Controller("v1/balances")
export class BalancesController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "getBalances",
    summary: "Read all balances",
    access: "ledger:read",
    takes: ["query"],
    answers: { status: 200, schema: balances, as: "A page of balances, and the book's totals" },
    refusals: ["balance_out_of_range"],
  })
  async read(
    @Query({ schema: balancesQuery }) query: z.infer<typeof balancesQuery>,
    @Http() http: HttpContext,
  ): Promise<Balances> {
    const page = await this.#services.read(GetBalances, http, query);
    http.linkTo(page);
    return page;
  }
}
