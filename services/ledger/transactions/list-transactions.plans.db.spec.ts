/**
 * Each way into the list of transactions reads along an index, a bounded number of rows: 100,000 journals of a book.
 */
import { describe, expect, it } from "vitest";
import { bookIdOf, idOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ledgerTransactionQuery } from "../../../contracts/http/ledger/ledger-transactions.ts";
import { numbered, openBigBook, uuid } from "../../../test/ledger/rows/big-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { findTransaction, listTransactions } from "./store/transactions.ts";

const bookId = bookIdOf(newId("ten"), "Test");
const book = uuidOf(bookId);
const pageRows = 26;

/**
 * Journal n was written n seconds into 2026 and every third opens a transaction (so 33,333 do), between accounts 1 and
 * 2; the first hundred are account 3's too. A thousand other books have an `inv-1` too.
 */
const loads = [
  `insert into book (book_id, tenant_id, mode) values (:book, gen_random_uuid(), 'Test')`,
  "insert into book_head (book_id, last_seq, head_hash) values (:book, 100000, sha256(''))",
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   select :book, ${numbered("n")}, 'Account ' || n, 'USD', 'Credit', 'Tenant', 'Allowed'
   from generate_series(1, 10000) n`,
  `insert into account_balance (book_id, account_id, version)
   select :book, ${numbered("n")}, case n when 3 then 100 else 100000 end
   from generate_series(1, 3) n`,
  `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind, line_count, digest,
     resolves_seq, reverses_seq)
   select :book, n, ${numbered("(n + 2) / 3")}, gen_random_uuid(), now(),
     timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second',
     (array['Hold', 'Settle', 'Reverse']::journal_kind[])[(n - 1) % 3 + 1], 2, sha256(''),
     case when n % 3 = 2 then n - 1 end, case when n % 3 = 0 then n - 1 end
   from generate_series(1, 100000) n`,
  `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
     released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
   select :book, ${numbered("l")}, n, 5, n, 0, 0, 0, 0, 0, 0, 'Posted', 'Normal',
     case l when 1 then 'Debit' else 'Credit' end::side, l, 'USD'
   from generate_series(1, 100000) n
   cross join generate_series(1, 3) l
   where l < 3 or n <= 100`,
  `insert into transaction_detail (book_id, transaction_id, description, basis, external_id)
   select :book, ${numbered("n")}, 'By hand', 'Actual', 'inv-' || n
   from generate_series(1, 30000) n
   union all
   select gen_random_uuid(), gen_random_uuid(), 'Theirs', 'Actual', 'inv-1'
   from generate_series(1, 1000) n`,
];

type Query = Record<string, string | string[]>;
const list = (sql: Sql, query: Query, after: string | null = null) =>
  listTransactions(sql, book, ledgerTransactionQuery.parse(query), after);

const { sql, readsOf } = await openBigBook(bookId, loads);
/** The rows that its last statement reads, with both plans. */
const readsOfLast = async (read: (sql: Sql) => Promise<unknown>) => (await readsOf(read)).slice(-2);

// The rows of one transaction: its opening, its three journals, its two entries and their accounts, its details.
const rowsOfOne = 3 + 1 + 2 * 2 + 1;

describe("a list of 33,333 transactions", () => {
  const third = idOf("la", uuid(3));
  const [first, second] = [idOf("la", uuid(1)), idOf("la", uuid(2))];
  it.each<[string, Query, string | null, number, number, number]>([
    ["from the newest on", {}, null, 26, 100_000, 3],
    ["deep inside", {}, "301", 26, 298, 3],
    [
      "of an hour long ago",
      { "createdAt[gte]": "2026-01-01T01:00:00Z", "createdAt[lt]": "2026-01-01T02:00:00Z" },
      null,
      26,
      7_198,
      3,
    ],
    ["of an account, from the newest on", { ledgerAccountId: first }, null, 26, 100_000, 9],
    [
      "of an account, of an hour long ago",
      {
        ledgerAccountId: first,
        "createdAt[gte]": "2026-01-01T01:00:00Z",
        "createdAt[lt]": "2026-01-01T02:00:00Z",
      },
      null,
      26,
      7_198,
      9,
    ],
    ["of an account that was used long ago", { ledgerAccountId: third }, null, 26, 100, 9],
    ["of an externalId that others have too", { externalId: "inv-1" }, null, 1, 1, 6],
    ["of several externalIds", { externalId: ["inv-1", "inv-9", "none"] }, null, 2, 25, 6],
    [
      "of several externalIds of an account",
      { externalId: ["inv-1", "inv-90"], ledgerAccountId: third },
      null,
      1,
      1,
      6,
    ],
    [
      "of several accounts, each transaction once",
      { ledgerAccountId: [first, second] },
      null,
      26,
      100_000,
      18,
    ],
    ["of a busy and a quiet account", { ledgerAccountId: [third, second] }, "301", 26, 298, 18],
  ])(
    "%s: one stretch of an index, whatever else there is",
    async (_where, query, after, rows, newest, each) => {
      const found = await list(sql, query, after);
      expect([found.length, Number(found[0]?.seq)]).toEqual([rows, newest]);
      for (const { sequentialScans, rows: read } of await readsOfLast((sql) => list(sql, query, after))) {
        expect(sequentialScans).toEqual([]);
        expect(read).toBeLessThanOrEqual(pageRows * (rowsOfOne + each));
      }
    },
  );

  it("finds one by its id with a bounded read", async () => {
    const id = idOf("lt", uuid(77));
    const found = await findTransaction(sql, book, id);
    expect(found?.journals).toHaveLength(3);
    for (const { sequentialScans, rows } of await readsOfLast((sql) => findTransaction(sql, book, id))) {
      expect(sequentialScans).toEqual([]);
      expect(rows).toBeLessThanOrEqual(3 + rowsOfOne);
    }
  });
});
