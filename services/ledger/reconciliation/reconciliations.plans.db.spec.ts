/**
 * A comparison reads only new rows, and a list only the rows that it shows: two books of 20,000 runs each, a statement
 * of 20,000 lines, 60,000 entries of one cash account. Each statement runs with a custom plan and with a generic plan.
 */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import { readsOf, readsOfKeptPlan } from "../../../test/stack/database/plans.ts";
import { sqlOn } from "../../../test/ledger/world.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import { findStatement, lastStatement, partsAfter } from "./store/bank-statements.ts";
import { expectedPostings, cashMovements, readCash } from "./store/cash-movements.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { booksAfter } from "../posting/store/lock-books.ts";
import { booksMissingStatement } from "./store/missing-statements.ts";
import { listRuns } from "./store/list-runs.ts";
import {
  findRun,
  lastComparison,
  lastRun,
  listItems,
  openItems,
  shownItems,
} from "./store/reconciliations.ts";
import { guardsOff } from "../../../test/stack/database/guards-off.ts";

const book = idOf("book", "019c0000-0000-7000-8000-00000000000b");
const other = idOf("book", "019c0000-0000-7000-8000-00000000000c");
const uuid = (n: number) => `019c0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const cash = uuidOf(chartAccountId(book, "SettlementCash"));

let database: TestDatabase;
let client: pg.Client;
let sql: Sql;
beforeAll(async () => {
  database = await createDatabase("ledger");
  const admin = new pg.Client(database.adminUrl);
  await admin.connect();
  // Realistic rows, inserted without the triggers that check each of them.
  await admin.query(guardsOff("ledger"));
  await admin.query("set search_path = ledger");
  for (const statement of loads) await admin.query(statement);
  await admin.query("vacuum analyze");
  await admin.end();
  client = new pg.Client(database.urlOf("ledger"));
  await client.connect();
  await client.query("set search_path = ledger");
  sql = sqlOn(client);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** One run in a thousand is Broken, one day has twenty runs; the last run of each book left 1,500 items open. */
const loads = [
  `insert into book (book_id, tenant_id, mode) values ('${uuidOf(book)}', gen_random_uuid(), 'Test'),
     ('${uuidOf(other)}', gen_random_uuid(), 'Test')`,
  "insert into book_head (book_id, head_hash) select book_id, sha256('') from book",
  `insert into bank_statement (book_id, number, statement_id, banking_date, ends_at, opening_cents, closing_cents,
     line_count, hash)
   select book_id, n, gen_random_uuid(), '2020-01-01'::date + n / 20, '2026-03-03T05:00:00Z'::timestamptz, 0, 0, 0, sha256('')
   from book cross join generate_series(1, 20000) n`,
  `insert into reconciliation (book_id, run, reconciliation_id, banking_date, status, reasons, statement_number,
     ledger_cash_cents, sub_ledger_cents, cutoff_seq, cash_version, wallet_version, in_transit_cents, difference_cents,
     matched_count, in_transit_count, unmatched_bank_count, unmatched_ledger_count, as_of)
   select book_id, n, ('019c0000-0000-7000-8000-' || lpad((n * 2 + (book_id = '${uuidOf(book)}')::int)::text, 12, '0'))::uuid,
     '2020-01-01'::date + n / 20, case when n % 1000 = 0 then 'Broken' else 'Reconciled' end,
     case when n % 1000 = 0 then '{TotalsDiffer}' else '{}' end::text[], n, 0, 0, n, 59900, 0, 0,
     0, 0, 0, 0, 0, now()
   from book cross join generate_series(1, 20000) n`,
  `insert into reconciliation (book_id, run, reconciliation_id, banking_date, status, reasons, ledger_cash_cents,
     sub_ledger_cents, cutoff_seq, cash_version, wallet_version, matched_count, in_transit_count, unmatched_bank_count,
     unmatched_ledger_count, as_of)
   select gen_random_uuid(), 1, gen_random_uuid(), '2019-12-30', 'NotReconciled', '{}', 0, 0, 1, 0, 0, 0, 0, 0, 0, now()
   from generate_series(1, 20000)`,
  `insert into reconciliation_item (book_id, run, item, in_transit, source, reason, number, line, account, side,
     amount_cents, match_key, kind, occurred_at, first_seen, age_banking_days)
   select book_id, r, n, n % 3 = 0, case when n % 2 = 0 then 'BankLine' else 'LedgerEntry' end, 'NoBankLine', n, 1,
     'SettlementCash', 'In', 5, 'x', 'Settle', now(), '2026-03-02', 0
   from book cross join generate_series(19990, 20000) r cross join generate_series(1, 1500) n`,
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   values ('${uuidOf(book)}', '${cash}', 'Settlement cash', 'USD', 'Debit', 'SettlementCash', 'Allowed')`,
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   select book_id, gen_random_uuid(), 'Account ' || n, 'USD', 'Credit', 'Tenant', 'Allowed'
   from book cross join generate_series(1, 5000) n`,
  "insert into account_balance (book_id, account_id, version) select book_id, account_id, 60000 from account",
  `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind, line_count, digest)
   select '${uuidOf(book)}', n, ('019c0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, gen_random_uuid(), now(),
     now(), 'Hold', 2, sha256('')
   from generate_series(1, 60000) n`,
  `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
     released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
   select '${uuidOf(book)}', '${cash}', n, 5, n, 0, 0, 0, 0, 0, 0,
     case when n % 3 = 0 then 'Posted' else 'Pending' end::layer, 'Normal', 'Debit', 1, 'USD'
   from generate_series(1, 60000) n`,
  `insert into statement_part (book_id, statement_id, part, parts, previous_statement_id, content)
   select b.book, b.book, n, 4, null, '{}'
   from (select book_id as book from book union all select gen_random_uuid() from generate_series(1, 3000)) b
   cross join generate_series(1, 3) n`,
];

/** Runs each statement of `run` with both plans, and returns the most rows, or pages, that one of them read. */
async function maxRows(run: (sql: Sql) => Promise<unknown>, of: "rows" | "pages" = "rows"): Promise<number> {
  const statements: { text: string; params: readonly unknown[] }[] = [];
  const read: Sql = (text, params = []) => {
    statements.push({ text, params });
    return Promise.resolve([]);
  };
  await run(read).catch(() => undefined);
  expect(statements.length).toBeGreaterThan(0);
  let most = 0;
  for (const { text, params } of statements) {
    const literal = params.map((value) => (typeof value === "bigint" ? String(value) : value));
    const seen = [await readsOf(sql, text, params), await readsOfKeptPlan(client, text, literal)];
    await client.query("reset plan_cache_mode");
    for (const { sequentialScans, [of]: read } of seen) {
      expect([text, sequentialScans.filter((table) => table !== "book" && table !== "book_head")]).toEqual([
        text,
        [],
      ]);
      most = Math.max(most, read);
    }
  }
  return most;
}

describe("the list of 20,000 runs", () => {
  const page = { before: "9223372036854775807", limit: 25 };
  it.each([
    ["from the newest one", page, "2022-09-27"],
    ["from the middle", { ...page, before: "501" }, "2020-01-26"],
    ["of one day", { ...page, dates: ["2021-05-05"] }, "2021-05-05"],
    ["that are Broken", { ...page, statuses: ["Broken" as const] }, "2022-09-27"],
    ["of several days", { ...page, dates: ["2021-05-05", "2021-05-06"] }, "2021-05-06"],
    [
      "of all statuses",
      { ...page, statuses: ["Broken" as const, "Reconciled" as const], before: "20000" },
      "2022-09-26",
    ],
    [
      "of one day that are Broken",
      { ...page, dates: ["2021-05-05"], statuses: ["Broken" as const] },
      undefined,
    ],
  ])("%s reads a page, and its statements", async (_which, query, newest) => {
    expect((await listRuns(sql, book, query))[0]?.date).toBe(newest);
    // Each run is found, read, and joined with its statement; of several values a page each is found.
    expect(await maxRows((read) => listRuns(read, book, query))).toBeLessThanOrEqual(4 * 26);
  });
});

describe("20,000 runs of other books, on one day and in one status", () => {
  const page = { before: "9223372036854775807", limit: 25 };
  it.each([
    ["that day", { ...page, dates: ["2019-12-30"] }],
    ["that status", { ...page, statuses: ["NotReconciled" as const] }],
  ])("are not read by a list of %s", async (_which, query) => {
    expect(await listRuns(sql, book, query)).toEqual([]);
    expect(await maxRows((read) => listRuns(read, book, query), "pages")).toBeLessThanOrEqual(10);
  });

  it("are not read to find the books that miss a statement of that day", async () => {
    const missing = (read: Sql) => booksMissingStatement(read, [book], "2019-12-30", new Date("2031-01-01"));
    expect(await missing(sql)).toEqual([book]);
    expect(await maxRows(missing, "pages")).toBeLessThanOrEqual(40);
  });
});

describe("one run", () => {
  const [id, without] = [idOf("rec", uuid(9_001)), idOf("rec", uuid(9_000))];
  it("is found by its id, in its own book", async () => {
    expect((await findRun(sql, book, id))?.run).toBe(4_500);
    expect(await findRun(sql, book, without)).toBeUndefined();
    expect(await maxRows((read) => findRun(read, book, id))).toBeLessThanOrEqual(2);
  });

  it("is found as the last one in a few rows, however many there are", async () => {
    expect([(await lastRun(sql, book))?.run, (await lastComparison(sql, book))?.run]).toEqual([
      20_000, 20_000,
    ]);
    expect(await maxRows((read) => lastRun(read, book))).toBeLessThanOrEqual(3);
    expect(await maxRows((read) => lastComparison(read, book))).toBeLessThanOrEqual(3);
    expect(await maxRows((read) => lastStatement(read, book))).toBeLessThanOrEqual(1);
    expect(await maxRows((read) => findStatement(read, book, idOf("stm", uuid(1))))).toBe(0);
  });

  it("has its own items, and shows the oldest of each kind", async () => {
    expect(await maxRows((read) => openItems(read, book, 20_000))).toBe(1_500);
    expect(await shownItems(sql, book, 20_000)).toHaveLength(1_500);
    expect(await maxRows((read) => shownItems(read, book, 20_000))).toBeLessThanOrEqual(4_500);
  });

  it("has pages of its items, and reads past those with other reasons", async () => {
    const page = { after: "700", limit: 25 };
    expect(await maxRows((read) => listItems(read, book, 20_000, page))).toBe(26);
    const reasons = ["AmountDiffers" as const];
    expect(await maxRows((read) => listItems(read, book, 20_000, { ...page, reasons }))).toBeLessThanOrEqual(
      800,
    );
  });
});

describe("a comparison of a book of 60,000 entries", () => {
  it("reads only the entries since the last one", async () => {
    const [since, now] = [
      { SettlementCash: 59_900n, StablecoinWallet: 0n },
      { SettlementCash: 60_000n, StablecoinWallet: 0n },
    ];
    expect(await cashMovements(sql, book, since, now, "2026-03-02")).toHaveLength(34);
    // A hundred entries, and the journals of the Posted ones or of those that are looked up with them.
    expect(await maxRows((read) => cashMovements(read, book, since, now, "2026-03-02"))).toBeLessThanOrEqual(
      200,
    );
    expect(await maxRows((read) => readCash(read, book))).toBeLessThanOrEqual(10);
  });

  it("reads the orders of unmatched lines, and no others", async () => {
    const orders = [1, 2, 3].map((n) => idOf("po", uuid(n)));
    const statement = { cutoffSequence: 9n, endsAt: new Date() };
    expect((await expectedPostings(sql, book, orders, statement)).settlements.size).toBe(3);
    expect(await maxRows((read) => expectedPostings(read, book, orders, statement))).toBeLessThanOrEqual(3);
  });

  it("ignores a statement with a missing part", async () => {
    expect(await partsAfter(sql, book, null)).toEqual([]);
    expect(await maxRows((read) => partsAfter(read, book, null))).toBeLessThanOrEqual(6);
  });
});

it("books that miss a statement are found by a few index lookups each", async () => {
  const endsAt = new Date("2031-03-04T05:00:00.000Z");
  const books = await booksAfter(sql, belowAllUuids, 500);
  expect(books).toEqual([book, other]);
  expect(await booksMissingStatement(sql, books, "2031-03-03", endsAt)).toEqual([book]);
  expect(
    await maxRows((read) => booksMissingStatement(read, books, "2031-03-03", endsAt)),
  ).toBeLessThanOrEqual(40);
});
