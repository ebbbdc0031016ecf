import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type {
  Reconciliation,
  ReconciliationItem,
  ReconciliationReport,
} from "../../../contracts/http/ledger/reconciliations.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { type BookId, isId } from "../../../contracts/ids/ids.ts";
import {
  GetReconciliation,
  ListReconciliationItems,
  ListReconciliations,
} from "../../../contracts/messages/reconciliations.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { aboveAllNumbers, numberAfter, pageOfRows } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { toItem, toReconciliation, toReport } from "./reconciliation-view.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { listRuns } from "./store/list-runs.ts";
import { findRun, listItems, type RunRow } from "./store/reconciliations.ts";

/** Reconciliation runs of the caller's own book. */
@Controller()
export class QueryReconciliations {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** A run with its open items. Refusals: `not_found`. */
  @HandlesRequest(GetReconciliation)
  get({ id }: { id: string }, { caller: { book } }: RequestContext): Promise<ReconciliationReport> {
    return readTenantSnapshot(this.#database, book, async (sql) =>
      toReport(sql, book, await existingRun(sql, book, id)),
    );
  }

  /** The open items of a run, oldest first. Refusals: `not_found`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListReconciliationItems)
  async listItems(
    { id, query }: z.output<typeof ListReconciliationItems.data>,
    { caller: { book } }: RequestContext,
  ): Promise<Page<ReconciliationItem>> {
    const { limit, reason: reasons } = query;
    const asked = { ...query, id, list: "reconciliation-items" };
    const after = numberAfter(asked) ?? "0";
    const rows = await readTenantSnapshot(this.#database, book, async (sql) => {
      const { run } = await existingRun(sql, book, id);
      return listItems(sql, book, run, { after, limit, reasons });
    });
    return pageOfRows(rows, limit, toItem, ({ position }) => String(position), asked);
  }

  /** Newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListReconciliations)
  async list(
    query: z.output<typeof ListReconciliations.data>,
    { caller }: RequestContext,
  ): Promise<Page<Reconciliation>> {
    const { date, status, limit } = query;
    const asked = { ...query, list: "reconciliations" };
    const before = numberAfter(asked) ?? aboveAllNumbers;
    const rows = await readTenantSnapshot(this.#database, caller.book, (sql) =>
      listRuns(sql, caller.book, { dates: date, statuses: status, before, limit }),
    );
    return pageOfRows(rows, limit, toReconciliation, ({ run }) => String(run), asked);
  }
}

/** Refusals: `not_found`, also for another book's run. */
async function existingRun(sql: Sql, book: BookId, id: string): Promise<RunRow> {
  const row = isId("rec", id) ? await findRun(sql, book, id) : undefined;
  if (row === undefined) throw notFound("reconciliation");
  return row;
}
