/**
 * Each list and lookup of virtual accounts and inbound payments reads along an index, also with its reader's row-level
 * security policies.
 */
import { describe, expect, it } from "vitest";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { numbered, openBigBook, uuid } from "../../../test/ledger/rows/big-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import {
  findByAmount,
  type InboundPaymentFilter,
  listInboundPayments,
} from "./store/list-inbound-payments.ts";
import { readPayingAccounts } from "./store/paying-accounts.ts";
import { readKnownReports } from "./store/inbound-payments.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { readSentBackPayments } from "../posting/store/transactions.ts";
import { findVirtualAccountsByPrefix } from "../virtual-accounts/store/names.ts";
import { findByNumbers, listVirtualAccounts } from "../virtual-accounts/store/virtual-accounts.ts";

const book = newUuid();
const bookId = idOf("book", book);
const pageRows = 26;
const page = { after: null, limit: pageRows - 1 };

/**
 * 20,000 virtual accounts on account 1, the oldest ten on account 2. 50,000 payments: the oldest thousand has the ten
 * of virtual account 7, on account 2, and the ten that are Suspended; each reference is in a hundred other books too.
 * 20,000 orders with a hold on account 1; that of every other one was released.
 */
const loads = [
  "insert into book (book_id, tenant_id, mode) values (:book, gen_random_uuid(), 'Test')",
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   select :book, ${numbered("n")}, 'Account ' || n, 'USD', 'Credit', 'Tenant', 'Allowed' from generate_series(1, 5000) n`,
  `insert into virtual_account (book_id, virtual_account_id, name, ledger_account_id, external_id, number_hash, key_id,
     ciphertext)
   select :book, ${numbered("n")}, 'V', ${numbered("case when n <= 10 then 2 else 1 end")}, 'customer ' || n,
     sha256(n::text::bytea), 'k1', ''
   from generate_series(1, 20000) n`,
  `insert into inbound_payment (book_id, inbound_payment_id, bank_reference, rail, direction, amount_cents, currency,
     originator_name, account_number_last4, status, reason, virtual_account_id, ledger_account_id, seq, occurred_at,
     created_at)
   select :book, ${numbered("n")}, 'W' || n, 'Rtp', 'Credit', 5, 'USD', 'A', '1234',
     case when n % 100 = 1 and n <= 1000 then 'Suspended' else 'Attributed' end,
     case when n % 100 = 1 and n <= 1000 then 'UnknownNumber' end,
     case when n % 100 = 1 and n <= 1000 then null when n % 100 = 2 and n <= 1000 then ${numbered("7")}
       else ${numbered("11")} end,
     case when n % 100 = 1 and n <= 1000 then null when n % 100 = 2 and n <= 1000 then ${numbered("2")}
       else ${numbered("1")} end,
     n, now(), now()
   from generate_series(1, 50000) n`,
  `insert into inbound_payment (book_id, inbound_payment_id, bank_reference, rail, direction, amount_cents, currency,
     originator_name, account_number_last4, status, reason, seq, occurred_at, created_at)
   select ${numbered("900000 + b")}, ${numbered("100000 + 100 * n + b")}, 'W' || n, 'Rtp', 'Credit', 5, 'USD', 'A',
     '1234', 'Suspended', 'UnknownNumber', n, now(), now()
   from generate_series(1, 20) n, generate_series(1, 100) b`,
  `insert into journal (book_id, seq, kind, transaction_id, order_id, command_id, resolves_seq, effective_at,
     recorded_at, line_count, digest)
   select :book, n + 20000 * step, case step when 0 then 'Hold' else 'Release' end::journal_kind, ${numbered("n")},
     ${numbered("n")}, gen_random_uuid(), case step when 1 then n end, now(), now(), 2, sha256('')
   from generate_series(1, 20000) n, generate_series(0, n % 2) step`,
  `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
     released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
   select :book, ${numbered("1")}, n, 5, n, 0, 0, 0, 0, 0, 0, 'Pending', 'Normal', 'Debit', 1, 'USD'
   from generate_series(1, 20000) n`,
];

const { database, readsOf } = await openBigBook(bookId, loads);

const nothing = {
  statuses: undefined,
  virtualAccountIds: undefined,
  ledgerAccountIds: undefined,
  bankReferences: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
} satisfies InboundPaymentFilter;

const suspended = Array.from({ length: 10 }, (_, index) => 901 - 100 * index);
const ofSeven = Array.from({ length: 10 }, (_, index) => 902 - 100 * index);
const newest = Array.from({ length: pageRows }, (_, index) => 50_000 - index);

describe("a list of 50,000 inbound payments", () => {
  it.each<[string, Partial<InboundPaymentFilter>, number[], number]>([
    ["nothing", {}, newest, pageRows],
    ["a common status", { statuses: ["Attributed"] }, newest, 2 * pageRows],
    ["a rare status", { statuses: ["Suspended"] }, suspended, 20],
    ["a status that none has", { statuses: ["Returned"] }, [], 0],
    ["a busy virtual account", { virtualAccountIds: [idOf("va", uuid(11))] }, newest, 2 * pageRows],
    ["a quiet virtual account", { virtualAccountIds: [idOf("va", uuid(7))] }, ofSeven, 20],
    [
      "a busy virtual account and a status that it has not",
      { virtualAccountIds: [idOf("va", uuid(11))], statuses: ["Suspended"] },
      [],
      0,
    ],
    ["a busy ledger account", { ledgerAccountIds: [idOf("la", uuid(1))] }, newest, 2 * pageRows],
    ["a quiet ledger account", { ledgerAccountIds: [idOf("la", uuid(2))] }, ofSeven, 20],
    ["a reference that a hundred books have", { bankReferences: ["W1"] }, [1], 101],
    ["a reference that there is not", { bankReferences: ["X"] }, [], 0],
    ["several statuses", { statuses: ["Returned", "Suspended", "Assigned"] }, suspended, 20],
    [
      "all statuses",
      { statuses: ["Attributed", "Suspended", "Assigned", "Returned"] },
      newest,
      10 + 2 * pageRows,
    ],
    [
      "several virtual accounts",
      { virtualAccountIds: [7, 8, 11].map((n) => idOf("va", uuid(n))) },
      newest,
      10 + 2 * pageRows,
    ],
    [
      "several virtual accounts, statuses and ledger accounts",
      {
        virtualAccountIds: [8, 7].map((n) => idOf("va", uuid(n))),
        statuses: ["Attributed", "Suspended"],
        ledgerAccountIds: [1, 2].map((n) => idOf("la", uuid(n))),
      },
      ofSeven,
      20,
    ],
    ["several ledger accounts", { ledgerAccountIds: [3, 2].map((n) => idOf("la", uuid(n))) }, ofSeven, 20],
    ["several references", { bankReferences: ["X", "W1", "W5"] }, [5, 1], 202],
    ["no account that there can be", { virtualAccountIds: [] }, [], 0],
  ])("by %s reads a page", async (_what, filter, expected, maxRows) => {
    const list = (sql: Sql) => listInboundPayments(sql, bookId, { ...nothing, ...filter }, page);
    const found = await readTenantSnapshot(database, bookId, list);
    expect(found.map(({ inbound_payment_id: id }) => id)).toEqual(expected.map(uuid));
    for (const { sequentialScans, rows } of await readsOf(list)) {
      expect(sequentialScans).toEqual([]);
      expect(rows).toBeLessThanOrEqual(maxRows);
    }
  });
});

it.each([
  [5, [50_000, 49_999, 49_998, 49_997, 49_996, 49_995, 49_994, 49_993]],
  [6, []],
])("the newest payments of %d cents are read along an index", async (cents, expected) => {
  const find = (sql: Sql) => findByAmount(sql, bookId, cents, 8);
  const found = await readTenantSnapshot(database, bookId, find);
  expect(found.map(({ inbound_payment_id: id }) => id)).toEqual(expected.map(uuid));
  for (const { sequentialScans, rows } of await readsOf(find)) {
    expect(sequentialScans).toEqual([]);
    expect(rows).toBeLessThanOrEqual(8);
  }
});

describe("a list of 20,000 virtual accounts", () => {
  const firstTen = Array.from({ length: 10 }, (_, index) => 10 - index);
  it.each<[string, object, number[], number]>([
    ["nothing", {}, Array.from({ length: pageRows }, (_, index) => 20_000 - index), 2 * pageRows],
    ["a quiet ledger account", { ledgerAccountIds: [idOf("la", uuid(2))] }, firstTen, 20],
    ["an externalId", { externalIds: ["customer 5"] }, [5], 2],
    ["several ledger accounts", { ledgerAccountIds: [3, 2].map((n) => idOf("la", uuid(n))) }, firstTen, 20],
    [
      "a busy and a quiet ledger account",
      { ledgerAccountIds: [1, 2].map((n) => idOf("la", uuid(n))) },
      Array.from({ length: pageRows }, (_, index) => 20_000 - index),
      2 * pageRows + 10,
    ],
    ["several externalIds", { externalIds: ["nobody", "customer 5", "customer 50"] }, [50, 5], 4],
    [
      "externalIds of a ledger account",
      { externalIds: ["customer 5", "customer 50"], ledgerAccountIds: [idOf("la", uuid(2))] },
      [5],
      4,
    ],
  ])("by %s reads a page", async (_what, filter, expected, maxRows) => {
    const all = { ledgerAccountIds: undefined, externalIds: undefined, ...filter };
    const list = (sql: Sql) => listVirtualAccounts(sql, bookId, all, page);
    const found = await readTenantSnapshot(database, bookId, list);
    expect(found.map(({ virtual_account_id: id }) => id)).toEqual(expected.map(uuid));
    for (const { sequentialScans, rows } of await readsOf(list)) {
      expect(sequentialScans).toEqual([]);
      expect(rows).toBeLessThanOrEqual(maxRows);
    }
  });
});

it.each([
  ["v", 8],
  ["w", 0],
])("virtual accounts whose names begin with %j are read along an index", async (prefix, found) => {
  const find = (sql: Sql) => findVirtualAccountsByPrefix(sql, book, prefix, 8);
  expect(await find(database.sql)).toHaveLength(found);
  for (const { sequentialScans, rows } of await readsOf(find, "service"))
    expect([sequentialScans, rows <= 16]).toEqual([[], true]);
});

describe("the lookups of a batch", () => {
  const keys = Array.from({ length: 50 }, (_, index) => ({
    book: bookId,
    bankReference: `W${String(5_000 + index)}`,
  }));
  const hashes = keys.map(() => ({ book: bookId, hash: Buffer.alloc(32, 7) }));
  const orders = keys.map((_, index) => ({ book: bookId, orderId: idOf("po", uuid(5_001 + index)) }));
  it.each<[string, (sql: Sql) => Promise<unknown>, number]>([
    ["references that are known", (sql) => readKnownReports(sql, keys), 50],
    ["numbers that nobody has", (sql) => findByNumbers(sql, hashes), 0],
    ["accounts that paid orders", (sql) => readPayingAccounts(sql, orders), 125],
    ["payments that came back of orders", (sql) => readSentBackPayments(sql, orders), 0],
  ])("%s are probed one by one", async (_what, look, maxRows) => {
    for (const { sequentialScans, rows } of await readsOf(look, "service")) {
      expect(sequentialScans).toEqual([]);
      expect(rows).toBeLessThanOrEqual(maxRows);
    }
  });
});
