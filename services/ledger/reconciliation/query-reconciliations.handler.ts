import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Reconciliation, ReconciliationReport } from "../../../contracts/http/ledger/reconciliations.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { GetReconciliation, ListReconciliations } from "../../../contracts/messages/reconciliations.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { aboveAllNumbers, numberAfter, pageOfRows } from "../../platform/persistence/page.ts";
import { toReconciliation, toReport } from "./reconciliation-view.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { listRuns } from "./store/list-runs.ts";
import { findRun } from "./store/reconciliations.ts";

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
    return readTenantSnapshot(this.#database, book, async (sql) => {
      const row = isId("rec", id) ? await findRun(sql, book, id) : undefined;
      if (row === undefined) throw notFound("reconciliation");
      return toReport(sql, book, row);
    });
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
