import { Controller, Get, Inject } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { errorCatalogue, Refusal } from "../../../contracts/errors.ts";
import { type Inbox, inbox } from "../../../contracts/http/inbox.ts";
import { ReadLedgerInbox } from "../../../contracts/messages/ledger-transactions.ts";
import { ReadInbox } from "../../../contracts/messages/orders.ts";
import { Database } from "../../platform/persistence/database.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { Operation } from "../operation/operation.ts";
import { rightsOf } from "../routes/ledger/rights.ts";
import { ServiceClient } from "../upstream/service-client.ts";
import { readKeyProposals, readRoleProposals } from "./open-proposals.ts";

/**
 * What waits for a decision: orders and policies come from orders, proposals in the ledger from it, keys and roles from
 * the gateway's own tables.
 */
@ApiTags("Inbox")
@Controller("v1/inbox")
export class InboxController {
  readonly #services: ServiceClient;
  readonly #database: Database;

  constructor(@Inject(ServiceClient) services: ServiceClient, @Inject(Database) database: Database) {
    this.#services = services;
    this.#database = database;
  }

  @Get()
  @Operation({
    id: "getInbox",
    summary: "Read what waits for a decision",
    access: "orders:read",
    answers: { status: 200, schema: inbox, as: "The inbox" },
  })
  async read(@Http() http: HttpContext): Promise<Inbox> {
    const { known } = http;
    const { sql } = this.#database;
    const may = {
      mayApprove: known.scopes.has("orders:approve"),
      mayDecidePolicies: known.scopes.has("policy:write"),
    };
    const [ofOrders, ledgerProposals, apiKeyProposals, roleProposals] = await Promise.all([
      this.#services.read(ReadInbox, http, may),
      known.scopes.has("ledger:read") ? this.#readLedger(http) : null,
      known.scopes.has("keys:write") ? readKeyProposals(sql, known) : null,
      known.scopes.has("people:write") ? readRoleProposals(sql, known) : null,
    ]);
    return { ...ofOrders, ledgerProposals, apiKeyProposals, roleProposals };
  }

  /** Null while the ledger does not answer, or is of a release without an inbox: orders can be decided nevertheless. */
  async #readLedger(http: HttpContext): Promise<Inbox["ledgerProposals"]> {
    try {
      return await this.#services.read(ReadLedgerInbox, http, rightsOf(http));
    } catch (error) {
      if (error instanceof Refusal && errorCatalogue[error.code].retryable) return null;
      throw error;
    }
  }
}
