import { Controller, Inject } from "@nestjs/common";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { Statement } from "../../../contracts/http/ledger/statements.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import { GetStatement } from "../../../contracts/messages/ledger.ts";
import { safeCents } from "../../../contracts/money.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { keyAfter, pageOfRows } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { balancesOf } from "../book/account.ts";
import { isExact } from "../book/exact-cents.ts";
import { countersOf } from "../posting/store/accounts.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { type Listed, mergeMovements, type Position } from "./domain/statement.ts";
import { ownAccount } from "./own-account.ts";
import { StatementCursor } from "./statement-cursor.ts";
import { type AccountPageRow, findAccountAsOf } from "./store/accounts.ts";
import {
  entriesOfOtherDays,
  entriesOfTheirDay,
  newestVersion,
  type StatementRow,
  toStatementLine,
  versionsOfDays,
} from "./store/statement.ts";

interface Days {
  readonly from: string;
  readonly to: string;
}

/** Statements of the caller's own accounts. */
@Controller()
export class QueryStatement {
  readonly #database: Database;

  readonly #cursor: StatementCursor;

  constructor(@Inject(Database) database: Database, @Inject(StatementCursor) cursor: StatementCursor) {
    this.#database = database;
    this.#cursor = cursor;
  }

  /**
   * A page of an account's posted entries by effective day, oldest first. The first page's balances and newest entry
   * are in the cursor, so the pages agree while others post. A page ends before a balance that is out of range, which
   * the next one is refused for. Refusals: `not_found`, `invalid_cursor`, `cursor_filter_mismatch`,
   * `balance_out_of_range`.
   */
  @HandlesRequest(GetStatement)
  async get(
    { ledgerAccountId, query }: z.output<typeof GetStatement.data>,
    { caller }: RequestContext,
  ): Promise<Statement> {
    const asked = { ...query, ledgerAccountId, list: "statement" };
    const { from, to, limit } = query;
    const statement = { book: caller.book, ledgerAccountId, from, to };
    const after = keyAfter(
      asked,
      z.string().refine((text) => this.#cursor.read(text, statement) !== undefined),
    );
    const position = after === null ? undefined : this.#cursor.read(after, statement);
    return readTenantSnapshot(this.#database, caller.book, async (sql, book) => {
      const account = await ownAccount(sql, book, ledgerAccountId);
      const id = account.account_id;
      const versions = await versionsOfDays(sql, book, id, { from, to });
      const start = position ?? (await startOf(sql, account, book, { from, to }, versions.first));
      const { pinnedVersion } = start;
      const end = versions.end <= pinnedVersion ? versions.end : pinnedVersion + 1n;
      const [same, other] = await Promise.all([
        entriesOfTheirDay(sql, book, id, { after: start.version, end, limit: limit + 1 }),
        entriesOfOtherDays(sql, book, id, { after: start.dated, to, pinnedVersion, limit: limit + 1 }),
      ]);
      const rows = mergeMovements(same, other, start, account.normal_balance, limit + 1);
      const readable = countReadable(start, rows.slice(0, limit), { from, to });
      return {
        ledgerAccountId: idOf("la", id),
        ledgerAccountName: account.name,
        currency: account.currency,
        normalBalance: account.normal_balance,
        from,
        to,
        openingBalanceCents: safeCents(start.openingCents),
        closingBalanceCents: safeCents(start.closingCents),
        ...pageOfRows(
          rows,
          readable,
          toStatementLine,
          (row) => this.#cursor.write(row.after, statement),
          asked,
        ),
      };
    });
  }
}

/**
 * How many of the page's rows come before the first whose balance a JSON number does not hold exactly: there the page
 * ends. Refusals: `balance_out_of_range`, with the day, if that is the first row, or the opening or closing balance.
 */
function countReadable(start: Position, rows: readonly Listed<StatementRow>[], { from, to }: Days): number {
  if (!isExact(start.openingCents)) throw outOfRange(`before ${from}`, "Send an earlier or a later `from`.");
  if (!isExact(start.closingCents))
    throw outOfRange(`at the end of ${to}`, "Send an earlier or a later `to`.");
  const beyond = rows.findIndex(({ after }) => !isExact(after.balanceCents));
  if (beyond !== 0) return beyond === -1 ? rows.length : beyond;
  const day = rows[0]?.effective_on ?? to;
  throw outOfRange(`on ${day}`, `Read the statement up to the day before ${day}, and from the day after on.`);
}

function outOfRange(when: string, advice: string): Refusal {
  return new Refusal(
    "balance_out_of_range",
    `The account's balance ${when} is beyond what a JSON number holds exactly. ${advice} GET /v1/ledger/journals gives every total as text.`,
  );
}

/** Where a statement begins: all from one snapshot. */
async function startOf(
  sql: Sql,
  account: AccountPageRow,
  book: string,
  { from, to }: Days,
  firstVersion: bigint,
): Promise<Position> {
  const [openingCents, closingCents] = [
    await postedAt(sql, account, book, dayBefore(from)),
    await postedAt(sql, account, book, to),
  ];
  return {
    pinnedVersion: await newestVersion(sql, book, account.account_id),
    openingCents,
    closingCents,
    balanceCents: openingCents,
    version: firstVersion - 1n,
    // No entry has version 0, so it comes before those of the first day.
    dated: { on: from, version: 0n },
  };
}

/** The posted balance at the end of a day, by effective time. */
async function postedAt(sql: Sql, account: AccountPageRow, book: string, day: string): Promise<bigint> {
  const then = await findAccountAsOf(sql, book, account.account_id, { kind: "Effective", day });
  return then === undefined ? 0n : balancesOf(then.normal_balance, countersOf(then)).posted;
}

/** The day before; of the first day of year 1 that day itself, because Postgres has no year 0. No book is that old. */
function dayBefore(day: string): string {
  const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
  return before.startsWith("0000") ? day : before;
}
