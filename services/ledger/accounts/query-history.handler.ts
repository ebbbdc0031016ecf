import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { BalanceHistory, LedgerAccountJournal } from "../../../contracts/http/ledger/account-history.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import { GetBalanceHistory, ListAccountJournals } from "../../../contracts/messages/ledger.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { numberAfter, pageOfRows } from "../../platform/persistence/page.ts";
import { balancesOf } from "../book/account.ts";
import { countersOf } from "../posting/store/accounts.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { ownAccount, requirePast } from "./own-account.ts";
import { databaseTime, readBalanceHistory } from "./store/balance-history.ts";
import {
  keyOfJournal,
  listAccountJournals,
  toAccountJournal,
  toFourBalances,
} from "./store/list-journals.ts";

/** What happened on the caller's own accounts, with the balances that it led to. */
@Controller()
export class QueryHistory {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /**
   * Journals by time of record, newest first. Refusals: `not_found`, `invalid_cursor`, `cursor_filter_mismatch`,
   * `balance_out_of_range`.
   */
  @HandlesRequest(ListAccountJournals)
  async journals(
    { ledgerAccountId, query }: z.output<typeof ListAccountJournals.data>,
    { caller }: RequestContext,
  ): Promise<Page<LedgerAccountJournal>> {
    // The account is one of the cursor's filters, because a cursor is a version of this account.
    const asked = { ...query, ledgerAccountId, list: "ledger-account-journals" };
    const page = { after: numberAfter(asked), limit: query.limit };
    const { account, rows } = await readTenantSnapshot(this.#database, caller.book, async (sql, book) => {
      const own = await ownAccount(sql, book, ledgerAccountId);
      return { account: own, rows: await listAccountJournals(sql, book, own.account_id, page) };
    });
    return pageOfRows(
      rows,
      query.limit,
      (row) => toAccountJournal(row, account.normal_balance),
      keyOfJournal,
      asked,
    );
  }

  /**
   * Balances as recorded at the ends of equal intervals; zero before the account was opened. Refusals: `not_found`;
   * `invalid_field` for a `to` in the future or not after `from`; `balance_out_of_range`.
   */
  @HandlesRequest(GetBalanceHistory)
  async history(
    { ledgerAccountId, query }: z.output<typeof GetBalanceHistory.data>,
    { caller }: RequestContext,
  ): Promise<BalanceHistory> {
    const fromMs = Date.parse(query.from);
    const toMs = query.to === undefined ? await databaseTime(this.#database.sql) : Date.parse(query.to);
    if (fromMs >= toMs) {
      const errors = [{ pointer: "?from", code: "invalid_field", message: "is not before to" } as const];
      throw new Refusal("invalid_field", "Send a from that is before to.", { errors });
    }
    await requirePast(this.#database.sql, caller.book, toMs, "?to");
    const times = Array.from(
      { length: query.points },
      (_, index) => fromMs + Math.round(((toMs - fromMs) * (index + 1)) / query.points),
    );
    const { account, points } = await readTenantSnapshot(this.#database, caller.book, async (sql, book) => {
      const own = await ownAccount(sql, book, ledgerAccountId);
      return { account: own, points: await readBalanceHistory(sql, book, own.account_id, times) };
    });
    return {
      ledgerAccountId: idOf("la", account.account_id),
      ledgerAccountName: account.name,
      currency: account.currency,
      normalBalance: account.normal_balance,
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      data: points.map((point) => ({
        at: new Date(Number(point.at_ms)).toISOString(),
        ...toFourBalances(balancesOf(account.normal_balance, countersOf(point))),
      })),
    };
  }
}
