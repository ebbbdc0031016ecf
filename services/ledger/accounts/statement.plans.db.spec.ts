/**
 * A page of a statement reads a bounded number of rows along two indexes, under row-level security: an account with
 * 100,000 entries, every sixth of them backdated.
 */
import { describe, expect, it } from "vitest";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { numbered, openBigBook, uuid } from "../../../test/ledger/rows/big-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { entriesOfOtherDays, entriesOfTheirDay, newestVersion } from "./store/statement.ts";

const book = newUuid();
const limit = 26;

/** A journal a minute; every third entry is Posted, and every second of those counts for the week before. */
const loads = [
  "insert into book (book_id, tenant_id, mode) values (:book, gen_random_uuid(), 'Test')",
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   values (:book, ${numbered("1")}, 'Operating', 'USD', 'Credit', 'Tenant', 'Allowed')`,
  `insert into account_balance (book_id, account_id, version) values (:book, ${numbered("1")}, 100000)`,
  `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind, line_count, digest)
   select :book, n, gen_random_uuid(), gen_random_uuid(),
     '2026-01-01T05:00:00Z'::timestamptz + n * interval '1 minute' - case when n % 6 = 0 then interval '7 days' else '0' end,
     '2026-01-01T05:00:00Z'::timestamptz + n * interval '1 minute', 'Post', 2, sha256('')
   from generate_series(1, 100000) n`,
  `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
     released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
   select :book, ${numbered("1")}, n, 5, n, 0, 0, 0, 0, 0, 0,
     case when n % 3 = 0 then 'Posted' else 'Pending' end::layer, 'Normal', 'Debit', 1, 'USD'
   from generate_series(1, 100000) n`,
  `insert into transaction_detail (book_id, transaction_id, description, basis)
   select book_id, transaction_id, 'By hand', 'Actual' from journal`,
  `insert into dated_entry (book_id, account_id, effective_on, account_version, layer)
   select :book, ${numbered("1")}, (effective_at at time zone 'America/New_York')::date, seq, 'Posted'
   from journal where seq % 6 = 0`,
];
const { sql, readsOf } = await openBigBook(idOf("book", book), loads);

const reads: readonly [string, (sql: Sql) => Promise<readonly { account_version: bigint }[]>, number][] = [
  [
    "from its first entry on",
    (run) => entriesOfTheirDay(run, book, uuid(1), { after: 0n, end: 100_001n, limit }),
    3,
  ],
  [
    "deep inside",
    (run) => entriesOfTheirDay(run, book, uuid(1), { after: 60_000n, end: 100_001n, limit }),
    60_003,
  ],
  [
    "of backdated entries, from the first on",
    (run) =>
      entriesOfOtherDays(run, book, uuid(1), {
        after: { on: "2025-01-01", version: 0n },
        to: "2026-12-31",
        pinnedVersion: 100_000n,
        limit,
      }),
    6,
  ],
  [
    "of backdated entries, deep inside",
    (run) =>
      entriesOfOtherDays(run, book, uuid(1), {
        after: { on: "2026-02-10", version: 0n },
        to: "2026-12-31",
        pinnedVersion: 100_000n,
        limit,
      }),
    67_680,
  ],
];

describe("a page of a statement of 100,000 entries", () => {
  it.each(reads)("%s reads a bounded number of rows", async (_which, read, first) => {
    const found = await read(sql);
    expect(found).toHaveLength(limit);
    expect(Number(found[0]!.account_version)).toBe(first);
    for (const { sequentialScans, rows } of await readsOf(read)) {
      expect(sequentialScans).toEqual([]);
      expect(rows).toBeLessThanOrEqual(12 * limit);
    }
  });

  it("knows its newest entry by the account's balance", async () => {
    expect(await newestVersion(sql, book, uuid(1))).toBe(100_000n);
    for (const { rows } of await readsOf((run) => newestVersion(run, book, uuid(1)))) expect(rows).toBe(1);
  });
});
