import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ListProposedChanges } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { proposedChangeView } from "./domain/proposed-change.ts";
import { hasCounterparty, listChanges } from "./store/proposed-changes.ts";

/** Reads what the bank of a counterparty corrects. */
@Controller()
export class QueryProposedChanges {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Refusals: `not_found`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListProposedChanges)
  async list(
    { id, ...query }: z.output<(typeof ListProposedChanges)["data"]>,
    { caller: { book } }: RequestContext,
  ) {
    const { sql } = this.#database;
    const asked = { ...query, list: `proposed-changes of ${id}` };
    const after = uuidAfter(asked);
    if (!isId("cp", id) || !(await hasCounterparty(sql, { book, id }))) throw notFound("counterparty");
    const found = await listChanges(sql, { book, id }, query, after);
    return pageOfRows(found, query.limit, proposedChangeView, (change) => uuidOf(change.id), asked);
  }
}
