import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { counterpartyQuery } from "../../../contracts/http/payments/counterparties.ts";
import { isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { FindCounterpartiesByName } from "../../../contracts/messages/names.ts";
import { GetCounterparty, ListCounterparties } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { counterpartyView } from "../order/counterparty.ts";
import { findCounterparty, listCounterparties } from "./store/counterparties.ts";
import { findByNamePrefix } from "./store/names.ts";

/** Reads counterparties of the caller's book. */
@Controller()
export class QueryCounterparties {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(GetCounterparty)
  async get({ id }: { id: string }, { caller: { book } }: RequestContext) {
    if (!isId("cp", id)) throw notFound("counterparty");
    const found = await this.#database.readEntities((em) => findCounterparty(em, { book, id }));
    if (found === undefined) throw notFound("counterparty");
    return counterpartyView(found);
  }

  /** By the start of the name, without archived ones. */
  @HandlesRequest(FindCounterpartiesByName)
  async byName(
    { prefix, limit }: z.output<typeof FindCounterpartiesByName.data>,
    { caller: { book } }: RequestContext,
  ): Promise<z.input<typeof FindCounterpartiesByName.reply>> {
    return { data: await findByNamePrefix(this.#database.sql, book, prefix.normalize(), limit) };
  }

  /** Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListCounterparties)
  async list(query: z.output<typeof counterpartyQuery>, { caller: { book } }: RequestContext) {
    const asked = { ...query, list: "counterparties" };
    const after = uuidAfter(asked);
    const found = await this.#database.readEntities((em) => listCounterparties(em, book, query, after));
    return pageOfRows(found, query.limit, counterpartyView, ({ id }) => uuidOf(id), asked);
  }
}
