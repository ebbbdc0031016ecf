/**
 * Each list of the ledger reads a bounded number of rows along an index, under row-level security: 50,000 accounts, and
 * 100,000 entries of one.
 */
import { describe, expect, it } from "vitest";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { numbered, openBigBook, uuid } from "../../../test/ledger/rows/big-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { findAccountByName } from "./store/accounts.ts";
import { listAccounts } from "./store/list-accounts.ts";
import { readBalances } from "./store/balances.ts";
import { findAccountsByPrefix } from "../virtual-accounts/store/names.ts";
import { listEntries } from "./store/list-entries.ts";

const book = newUuid();
const bookId = idOf("book", book);
const pageRows = 26;
const page = { owners: ["Tenant"], after: null, limit: pageRows - 1 } as const;

/**
 * The book's 50,000 accounts, and a thousand other books that have an `Operating` and a `ref-5` too. Account 1 has
 * 100,000 entries.
 */
const loads = [
  `insert into book (book_id, tenant_id, mode) select b, gen_random_uuid(), 'Test'
   from (select :book as b union all select ${numbered("500000 + n")} from generate_series(1, 1000) n) books`,
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft, external_id)
   select :book, ${numbered("n")}, case when n = 5 then 'Operating' else 'Account ' || n end, 'USD', 'Credit', 'Tenant',
     'Allowed', 'ref-' || n
   from generate_series(1, 50000) n`,
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft, external_id)
   select ${numbered("500000 + n")}, ${numbered("600000 + n")}, 'Operating', 'USD', 'Credit', 'Tenant', 'Allowed', 'ref-5'
   from generate_series(1, 1000) n`,
  // The oldest account of the book: a walk down all of them reaches it last.
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   values (:book, ${numbered("0")}, 'Suspense', 'USD', 'Credit', 'Suspense', 'Allowed')`,
  "insert into account_balance (book_id, account_id) select book_id, account_id from account",
  `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind, line_count, digest)
   select :book, n, gen_random_uuid(), gen_random_uuid(),
     case n when 90000 then '2026-02-01T17:00:00Z' else '2026-01-01T05:00:00Z'::timestamptz + n * interval '1 minute' end,
     '2026-01-01T05:00:00Z'::timestamptz + n * interval '1 minute', 'Post', 2, sha256('')
   from generate_series(1, 100000) n`,
  "insert into book_head (book_id, last_seq, head_hash) values (:book, 100000, sha256(''))",
  `insert into dated_entry (book_id, account_id, effective_on, account_version, layer)
   select :book, ${numbered("1")}, '2026-02-01'::date, 90000, 'Posted'::layer
   union all select :book, ${numbered("2")}, '2026-02-01', n, 'Posted' from generate_series(1, 20000) n`,
  `update account_balance set version = 100000 where account_id = ${numbered("1")}`,
  // A hold, its discharge and what was posted: one entry in three is Posted.
  `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
     released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
   select :book, ${numbered("1")}, n, 5, n, 0, 0, 0, 0, 0, 0,
     case when n % 3 = 0 then 'Posted' else 'Pending' end::layer, 'Normal', 'Debit', 1, 'USD'
   from generate_series(1, 100000) n`,
];

const { sql, readsOf } = await openBigBook(bookId, loads);

describe("a list of 50,000 accounts", () => {
  it.each<[string, string | null]>([
    ["from the newest on", null],
    ["deep inside", uuid(500)],
  ])("%s reads a page of accounts and their balances", async (_where, after) => {
    const lists = [
      (sql: Sql) => listAccounts(sql, book, { ...page, names: null, externalIds: null, after }),
      (sql: Sql) => readBalances(sql, book, { ...page, after }),
    ];
    for (const list of lists) {
      for (const { sequentialScans, rows } of await readsOf(list)) {
        expect(sequentialScans).toEqual([]);
        expect(rows).toBeLessThanOrEqual(2 * pageRows + 1);
      }
    }
  });

  it("of all owners' accounts reads a page", async () => {
    const list = (sql: Sql) =>
      listAccounts(sql, book, { ...page, owners: ["System", "Tenant"], names: null, externalIds: null });
    expect(await list(sql)).toHaveLength(pageRows);
    for (const { sequentialScans, rows } of await readsOf(list)) {
      expect([sequentialScans, rows]).toEqual([[], 2 * pageRows]);
    }
  });

  it("of the service's own accounts reads those alone", async () => {
    const found = await listAccounts(sql, book, {
      ...page,
      owners: ["System"],
      names: null,
      externalIds: null,
    });
    expect(found.map(({ name }) => name)).toEqual(["Suspense"]);
    for (const { sequentialScans, rows } of await readsOf((sql) =>
      listAccounts(sql, book, { ...page, owners: ["System"], names: null, externalIds: null }),
    )) {
      expect([sequentialScans, rows]).toEqual([[], 2]);
    }
  });

  it("by a name reads one account, however many books have one of that name", async () => {
    const found = await listAccounts(sql, book, { ...page, names: ["Operating"], externalIds: null });
    expect(found.map(({ account_id }) => account_id)).toEqual([uuid(5)]);
    for (const { sequentialScans, rows } of await readsOf((sql) =>
      findAccountByName(sql, book, "Operating"),
    )) {
      expect([sequentialScans, rows]).toEqual([[], 2]);
    }
  });

  it("by its externalId reads one account, however many books have one of that externalId", async () => {
    const asked = { ...page, names: null, externalIds: ["ref-5", "ref-none"] };
    const list = (sql: Sql) => listAccounts(sql, book, asked);
    expect((await list(sql)).map(({ account_id }) => account_id)).toEqual([uuid(5)]);
    expect(await listAccounts(sql, book, { ...asked, names: ["Account 7"] })).toEqual([]);
    for (const { sequentialScans, rows } of await readsOf(list)) {
      expect([sequentialScans, rows]).toEqual([[], 2]);
    }
  });

  it("by the start of a name reads as many accounts as it finds", async () => {
    const found = await findAccountsByPrefix(sql, book, "aCCount 123", 8);
    expect(found.map(({ name }) => name)).toEqual([
      "Account 123",
      "Account 1230",
      "Account 12300",
      "Account 12301",
      "Account 12302",
      "Account 12303",
      "Account 12304",
      "Account 12305",
    ]);
    const read = (sql: Sql) => findAccountsByPrefix(sql, book, "aCCount 123", 8);
    for (const { sequentialScans, rows } of await readsOf(read, "service")) {
      expect([sequentialScans, rows]).toEqual([[], 16]);
    }
  });

  it("by several names reads those accounts, newest first", async () => {
    const names = ["Operating", "Account 7", "Nowhere", "Account 3", "Account  3"];
    const list = (sql: Sql) => listAccounts(sql, book, { ...page, names, externalIds: null });
    expect((await list(sql)).map(({ account_id }) => account_id)).toEqual([uuid(7), uuid(5), uuid(3)]);
    const rest = await listAccounts(sql, book, {
      ...page,
      names,
      externalIds: null,
      after: uuid(7),
      limit: 0,
    });
    expect(rest.map(({ account_id }) => account_id)).toEqual([uuid(5)]);
    for (const { sequentialScans, rows } of await readsOf(list)) {
      expect([sequentialScans, rows]).toEqual([[], 6]);
    }
  });
});

describe("a list of 100,000 entries", () => {
  const always = { from: undefined, before: undefined };
  const all = { ...page, layer: null, order: undefined, created: always, effective: always };
  const oldest = { ...all, order: "Oldest" as const };
  // 1440 minutes a day from midnight in New York.
  const day = { from: "2026-02-01T05:00:00Z", before: "2026-02-02T05:00:00Z" };
  it.each<[string, Parameters<typeof listEntries>[3], number]>([
    ["from the newest on", all, 100_000],
    ["deep inside", { ...all, after: "501" }, 500],
    ["that are Posted", { ...all, layer: "Posted" }, 99_999],
    ["that are Pending, deep inside", { ...all, layer: "Pending", after: "501" }, 500],
    ["from the oldest on", oldest, 1],
    ["from the oldest on, deep inside", { ...oldest, after: "99000" }, 99_001],
    ["that were created on a day", { ...all, created: day }, 31 * 1440 + 1439],
    ["that were created on a day, oldest first", { ...oldest, created: day }, 31 * 1440],
    ["that moved on a day, one of them recorded much later", { ...all, effective: day }, 90_000],
    ["that moved on a day, oldest first", { ...oldest, effective: day }, 31 * 1440],
  ])("%s walks down its account's versions", async (_which, query, newest) => {
    const found = await listEntries(sql, book, uuid(1), query);
    expect(found).toHaveLength(pageRows);
    expect(Number(found[0]?.account_version)).toBe(newest);
    for (const { sequentialScans, rows } of await readsOf((sql) => listEntries(sql, book, uuid(1), query))) {
      expect(sequentialScans).toEqual([]);
      expect(rows).toBeLessThanOrEqual(6 * pageRows);
    }
  });
});
