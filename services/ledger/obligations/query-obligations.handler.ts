import { Controller, Inject } from "@nestjs/common";
import type {
  Obligation,
  ObligationQuery,
  ObligationWithHistory,
} from "../../../contracts/http/ledger/obligations.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { type BookId, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { GetObligation, ListObligations } from "../../../contracts/messages/obligations.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import {
  findObligation,
  listObligations,
  obligationView,
  obligationWithHistory,
} from "./store/list-obligations.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";

/** Obligations of the caller's own book. */
@Controller()
export class QueryObligations {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** With its accruals and payments. Refusals: `not_found`. */
  @HandlesRequest(GetObligation)
  get({ id }: { id: string }, { caller }: RequestContext): Promise<ObligationWithHistory> {
    return readTenantSnapshot(this.#database, caller.book, (sql) => readObligationView(sql, caller.book, id));
  }

  /** Newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListObligations)
  async list(query: ObligationQuery, { caller }: RequestContext): Promise<Page<Obligation>> {
    const asked = { ...query, list: "obligations" };
    const after = uuidAfter(asked);
    const rows = await readTenantSnapshot(this.#database, caller.book, (sql, book) =>
      listObligations(sql, book, query, after),
    );
    return pageOfRows(rows, query.limit, obligationView, (row) => row.obligation_id, asked);
  }
}

/** The current state of an obligation, with the unit of work's own changes. Refusals: `not_found`. */
export async function readObligationView(sql: Sql, book: BookId, id: string): Promise<ObligationWithHistory> {
  const row = isId("ob", id) ? await findObligation(sql, uuidOf(book), uuidOf(id)) : undefined;
  if (row === undefined) throw notFound("obligation");
  return obligationWithHistory(row);
}
