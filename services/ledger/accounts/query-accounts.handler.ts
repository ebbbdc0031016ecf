import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { Balances, LedgerAccount, LedgerEntry } from "../../../contracts/http/ledger/ledger-accounts.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import {
  GetBalances,
  GetLedgerAccount,
  ListLedgerAccounts,
  ListLedgerEntries,
} from "../../../contracts/messages/ledger.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { numberAfter, pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { balancesOf } from "../book/account.ts";
import { type AsOf, parseAsOf, asOfFields } from "../book/as-of.ts";
import { accountingEquation, type ClassTotal, tenantTotals } from "../book/accounting-equation.ts";
import { type AccountPageRow, findAccountAsOf, toLedgerAccount } from "./store/accounts.ts";
import { listAccounts } from "./store/list-accounts.ts";
import { countersOf } from "../posting/store/accounts.ts";
import { ownAccount, requirePast } from "./own-account.ts";
import { type BalanceRow, readBalances } from "./store/balances.ts";
import { listEntries, toLedgerEntry } from "./store/list-entries.ts";
import { exactCents } from "../book/exact-cents.ts";
import { centsOrNull } from "../reconciliation/reconciliation-view.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { lastRun, type RunRow } from "../reconciliation/store/reconciliations.ts";

/** Reads accounts, entries and balances of the caller's own book. Those of another book answer `not_found`. */
@Controller()
export class QueryAccounts {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /**
   * Accounts, newest first: the tenant's own, unless `owner` says otherwise. Refusals: `invalid_cursor`,
   * `cursor_filter_mismatch`.
   */
  @HandlesRequest(ListLedgerAccounts)
  async list(
    query: z.output<typeof ListLedgerAccounts.data>,
    { caller }: RequestContext,
  ): Promise<Page<LedgerAccount>> {
    const { owner = ["Tenant"], limit } = query;
    const asked = { ...query, list: "ledger-accounts" };
    const page = {
      owners: owner,
      names: query.name ?? null,
      externalIds: query.externalId ?? null,
      after: uuidAfter(asked),
      limit,
    };
    const rows = await readTenantSnapshot(this.#database, caller.book, (sql, book) =>
      listAccounts(sql, book, page),
    );
    return pageOfRows(rows, query.limit, toLedgerAccount, (row) => row.account_id, asked);
  }

  /**
   * An account now or at another moment. Refusals: `not_found`, also for an account that was opened later;
   * `invalid_field` for a future `asOf`; `invalid_request` for two moments; `balance_out_of_range`.
   */
  @HandlesRequest(GetLedgerAccount)
  async get(
    { id, ...query }: z.output<typeof GetLedgerAccount.data>,
    { caller }: RequestContext,
  ): Promise<LedgerAccount> {
    const moment = parseAsOf(query);
    if (moment?.kind === "Recorded")
      await requirePast(this.#database.sql, caller.book, moment.asOfMs, "?asOf");
    return readTenantSnapshot(this.#database, caller.book, async (sql, book) => {
      const account = await ownAccount(sql, book, id);
      return moment === null ? toLedgerAccount(account) : accountAt(sql, book, account, moment);
    });
  }

  /** By time of record, newest first by default. Refusals: `not_found`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListLedgerEntries)
  async entries(
    { ledgerAccountId, query }: z.output<typeof ListLedgerEntries.data>,
    { caller }: RequestContext,
  ): Promise<Page<LedgerEntry>> {
    // The account is one of the cursor's filters, because a cursor is a version of this account.
    const asked = { ...query, ledgerAccountId, list: "ledger-entries" };
    const [layer = null, otherLayer] = query.status ?? [];
    const page = {
      layer: otherLayer === undefined ? layer : null,
      after: numberAfter(asked),
      limit: query.limit,
      order: query.order,
      created: { from: query["createdAt[gte]"], before: query["createdAt[lt]"] },
      effective: { from: query["effectiveAt[gte]"], before: query["effectiveAt[lt]"] },
    };
    const rows = await readTenantSnapshot(this.#database, caller.book, async (sql, book) => {
      const account = await ownAccount(sql, book, ledgerAccountId);
      return listEntries(sql, book, account.account_id, page);
    });
    return pageOfRows(rows, query.limit, toLedgerEntry, (row) => String(row.account_version), asked);
  }

  /**
   * Balances, totals and the reconciliation status from one snapshot, now or at another moment; `asOf` leaves out
   * accounts that were opened later. Refusals: `invalid_cursor`, `cursor_filter_mismatch`; `invalid_field` for a future
   * `asOf`; `invalid_request` for two moments; `balance_out_of_range`.
   */
  @HandlesRequest(GetBalances)
  async balances(query: z.output<typeof GetBalances.data>, { caller }: RequestContext): Promise<Balances> {
    const moment = parseAsOf(query);
    const asked = { ...query, list: "balances" };
    const page = { after: uuidAfter(asked), limit: query.limit };
    if (moment?.kind === "Recorded")
      await requirePast(this.#database.sql, caller.book, moment.asOfMs, "?asOf");
    const [read, run] = await readTenantSnapshot(this.#database, caller.book, (sql, book) =>
      Promise.all([readBalances(sql, book, page, moment), lastRun(sql, caller.book, moment)]),
    );
    const { accounts, totals } = read;
    const times = { asOf: read.asOf.toISOString(), ...asOfFields(moment) };
    return {
      ...times,
      ...pageOfRows(accounts, query.limit, toBalance, (row) => row.account_id, asked),
      totals: [...tenantTotals(totals)].map(([, sum]) => ({
        currency: "USD",
        pendingBalanceCents: exactCents(sum.pending),
        postedBalanceCents: exactCents(sum.posted),
        availableBalanceCents: exactCents(sum.available),
      })),
      reconciliation: reconciliationOf(totals, run, times.asOf),
    };
  }
}

/** The account with its balances at a moment. Refusals: `not_found` if it was opened later. */
async function accountAt(
  sql: Sql,
  book: string,
  account: AccountPageRow,
  moment: AsOf,
): Promise<LedgerAccount> {
  const then = await findAccountAsOf(sql, book, account.account_id, moment);
  if (then === undefined) {
    const openedAt = account.created_at.toISOString();
    throw new Refusal("not_found", `The account was opened at ${openedAt}. Send that time or a later one.`);
  }
  return { ...toLedgerAccount(then), ...asOfFields(moment) };
}

/** What is now, and what the last run found. `/v1` also has the members of both in one object. */
function reconciliationOf(
  totals: readonly ClassTotal[],
  run: RunRow | undefined,
  asOf: string,
): Balances["reconciliation"] {
  const equation = accountingEquation(totals);
  const now = {
    settlementCashCents: exactCents(equation.heldCents),
    subLedgerCents: exactCents(equation.owedCents),
    differenceCents: exactCents(equation.differenceCents),
  };
  const found =
    run === undefined
      ? undefined
      : {
          status: run.status,
          // Null without a statement: an attributed balance is not a reconciled one, and 0 would claim that it is.
          bankDifferenceCents: centsOrNull(run.difference_cents),
          asOf: run.as_of.toISOString(),
        };
  return {
    ...now,
    ...(found ?? { status: "NotReconciled", bankDifferenceCents: null, asOf }),
    now: { ...now, asOf },
    lastRun:
      run === undefined || found === undefined
        ? null
        : { id: idOf("rec", run.reconciliation_id), date: run.date, ...found },
  };
}

function toBalance(row: BalanceRow): Balances["data"][number] {
  const { pending, posted, available } = balancesOf(row.normal_balance, countersOf(row));
  return {
    ledgerAccountId: idOf("la", row.account_id),
    name: row.name,
    currency: row.currency,
    pendingBalanceCents: exactCents(pending),
    postedBalanceCents: exactCents(posted),
    availableBalanceCents: exactCents(available),
  };
}
