import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { WebhookStatement, WebhookStatementLine } from "../../../contracts/http/webhooks/statement.ts";
import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { GetWebhookStatement } from "../../../contracts/messages/webhooks.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { type CountRow, readCounts } from "./store/delivery-counts.ts";

/** What became of the deliveries of a UTC day, from counters: also after the deliveries themselves were deleted. */
@Controller()
export class GetWebhookStatementHandler {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(GetWebhookStatement)
  async get(
    query: z.output<typeof GetWebhookStatement.data>,
    { caller }: RequestContext,
  ): Promise<WebhookStatement> {
    const { date, limit } = query;
    const asked = { ...query, list: "webhook-statement" };
    const rows = await readCounts(this.#database.sql, uuidOf(caller.book), date, uuidAfter(asked), limit);
    return { date, ...pageOfRows(rows, limit, toLine, (row) => row.endpoint_id, asked) };
  }
}

function toLine(row: CountRow): WebhookStatementLine {
  const [committed, delivered] = [Number(row.committed), Number(row.delivered)];
  const [dead, cancelled] = [Number(row.dead), Number(row.cancelled)];
  return {
    endpointId: idOf("we", row.endpoint_id),
    committed,
    delivered,
    dead,
    pending: committed - delivered - dead - cancelled,
    cancelled,
  };
}
