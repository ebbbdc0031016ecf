import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { LedgerTransaction } from "../../../contracts/http/ledger/ledger-transactions.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import {
  GetLedgerTransaction,
  ListLedgerTransactions,
} from "../../../contracts/messages/ledger-transactions.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { numberAfter, pageOfRows } from "../../platform/persistence/page.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { findTransaction, listTransactions, toLedgerTransaction } from "./store/transactions.ts";

/** All transactions of the caller's own book: manual ones, and those of orders, inbound payments and obligations. */
@Controller()
export class QueryTransactions {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(GetLedgerTransaction)
  async get(
    { id }: z.output<typeof GetLedgerTransaction.data>,
    { caller }: RequestContext,
  ): Promise<LedgerTransaction> {
    if (!isId("lt", id)) throw notFound("ledger transaction");
    const row = await readTenantSnapshot(this.#database, caller.book, (sql, book) =>
      findTransaction(sql, book, id),
    );
    if (row === undefined) throw notFound("ledger transaction");
    return toLedgerTransaction(row);
  }

  /** Newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListLedgerTransactions)
  async list(
    query: z.output<typeof ListLedgerTransactions.data>,
    { caller }: RequestContext,
  ): Promise<Page<LedgerTransaction>> {
    const asked = { ...query, list: "ledger-transactions" };
    const after = numberAfter(asked);
    const rows = await readTenantSnapshot(this.#database, caller.book, (sql, book) =>
      listTransactions(sql, book, query, after),
    );
    return pageOfRows(rows, query.limit, toLedgerTransaction, (row) => String(row.seq), asked);
  }
}
