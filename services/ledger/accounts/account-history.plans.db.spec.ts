/**
 * An account's journals and its balance history cost a bounded number of rows and pages, under row-level security: an
 * account with 100,000 entries, two in each journal.
 */
import { describe, expect, it } from "vitest";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { numbered, openBigBook, uuid } from "../../../test/ledger/rows/big-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { readBalanceHistory } from "./store/balance-history.ts";
import { listAccountJournals } from "./store/list-journals.ts";

const book = newUuid();
const limit = 25;
const begins = "2026-01-01T05:00:00Z";

/** A journal a minute, each with two entries on the account; the account's totals rise by 5 cents with each entry. */
const loads = [
  "insert into book (book_id, tenant_id, mode) values (:book, gen_random_uuid(), 'Test')",
  `insert into book_head (book_id, last_seq, head_hash, recorded_at)
   values (:book, 50000, sha256(''), '${begins}'::timestamptz + interval '50000 minutes')`,
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   select :book, ${numbered("n")}, 'Account ' || n, 'USD', 'Credit', 'Tenant', 'Allowed' from generate_series(1, 1000) n`,
  `insert into account_balance (book_id, account_id, version, last_seq, posted_debit)
   values (:book, ${numbered("1")}, 100000, 50000, 500000)`,
  `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind, line_count, digest)
   select :book, n, gen_random_uuid(), gen_random_uuid(), at, at,
     case n % 2 when 0 then 'Post' else 'Accrue' end::journal_kind, 2, sha256('')
   from (select n, '${begins}'::timestamptz + n * interval '1 minute' as at from generate_series(1, 50000) n) t`,
  `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
     released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
   select :book, ${numbered("1")}, (n + 1) / 2, 5, n, 0, 0, 0, 0, n * 5, 0, 'Posted', 'Normal', 'Debit', 2 - n % 2, 'USD'
   from generate_series(1, 100000) n`,
  `insert into transaction_detail (book_id, transaction_id, description, basis)
   select book_id, transaction_id, 'By hand', 'Actual' from journal`,
  `insert into checkpoint (book_id, first_seq, last_seq, head_hash, recorded_at, posted_debit, posted_credit, pending_debit,
     pending_credit, class_totals)
   select book_id, seq, seq, sha256(''), recorded_at, 0, 0, 0, 0, '{}' from journal`,
];
const { sql, readsOf } = await openBigBook(idOf("book", book), loads);

describe("a page of an account's journals", () => {
  it.each<[string, string | null, number]>([
    ["from the newest on", null, 50_000],
    ["deep inside", "1001", 500],
  ])("%s reads the page's entries and what their journals show", async (_where, after, newest) => {
    const read = (run: Sql) => listAccountJournals(run, book, uuid(1), { after, limit });
    const rows = await read(sql);
    expect(rows.map(({ seq }) => Number(seq))).toEqual(
      Array.from({ length: limit + 1 }, (_, index) => newest - index),
    );
    for (const { sequentialScans, rows: count } of await readsOf(read)) {
      expect(sequentialScans).toEqual([]);
      expect(count).toBeLessThanOrEqual(14 * limit);
    }
  });
});

describe("a balance history", () => {
  const minutes = (count: number, every: number) =>
    Array.from({ length: count }, (_, index) => Date.parse(begins) + (index + 1) * every * 60_000);

  it("of 500 points searches along indexes", async () => {
    const times = minutes(500, 100);
    const found = await readBalanceHistory(sql, book, uuid(1), times);
    expect(found.map(({ at_ms }) => Number(at_ms))).toEqual(times);
    expect(found.map(({ posted_debit }) => Number(posted_debit))).toEqual(
      Array.from({ length: 500 }, (_, index) => (index + 1) * 1_000),
    );
    const read = (run: Sql) => readBalanceHistory(run, book, uuid(1), times);
    for (const { sequentialScans } of await readsOf(read)) expect(sequentialScans).toEqual([]);
  });
});
