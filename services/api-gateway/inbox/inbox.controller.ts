import { Controller, Get, Inject } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { type Inbox, inbox } from "../../../contracts/http/inbox.ts";
import { ReadInbox } from "../../../contracts/messages/orders.ts";
import { Database } from "../../platform/persistence/database.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { Operation } from "../operation/operation.ts";
import { ServiceClient } from "../upstream/service-client.ts";
import { readKeyProposals, readRoleProposals } from "./open-proposals.ts";

/** What waits for a decision: orders and policies come from orders, keys and roles from the gateway's own tables. */
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
    const [ofOrders, apiKeyProposals, roleProposals] = await Promise.all([
      this.#services.read(ReadInbox, http, may),
      known.scopes.has("keys:write") ? readKeyProposals(sql, known) : null,
      known.scopes.has("people:write") ? readRoleProposals(sql, known) : null,
    ]);
    return { ...ofOrders, apiKeyProposals, roleProposals };
  }
}
