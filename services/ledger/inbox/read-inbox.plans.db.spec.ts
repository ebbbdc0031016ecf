/** What waits in a book is read along its own list and index, whatever else the book has: 100,000 journals. */
import { expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { numbered, openBigBook } from "../../../test/ledger/rows/big-book.ts";
import { listProposedAssignments } from "../inbound-payments/store/list-inbound-payments.ts";
import { listPendingTransactions } from "../transactions/store/transactions.ts";
import { countProposals } from "./store/count-proposals.ts";

const bookId = bookIdOf(newId("ten"), "Test");
const book = uuidOf(bookId);

/**
 * Every third journal holds money, the next one releases it; the oldest 300 holds wait, and 50,000 of other books.
 * 50,000 payments, of which the oldest 300 have a proposal.
 */
const loads = [
  "insert into book (book_id, tenant_id, mode) values (:book, gen_random_uuid(), 'Test')",
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   select :book, ${numbered("n")}, 'Account ' || n, 'USD', 'Credit', 'Tenant', 'Allowed' from generate_series(1, 10000) n`,
  `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind, line_count, digest,
     resolves_seq)
   select :book, n, ${numbered("case n % 3 when 0 then 900000 + n else (n + 2) / 3 end")}, gen_random_uuid(), now(), now(),
     (array['Hold', 'Release', 'Post']::journal_kind[])[(n - 1) % 3 + 1], 2, sha256(''),
     case when n % 3 = 2 then n - 1 end
   from generate_series(1, 100000) n
   where n > 900 or n % 3 <> 2`,
  `insert into pending_transaction (book_id, seq)
   select :book, n * 3 - 2 from generate_series(1, 300) n
   union all
   select gen_random_uuid(), n from generate_series(1, 50000) n`,
  `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
     released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
   select :book, ${numbered("l")}, n, 5, n, 0, 0, 0, 0, 0, 0, 'Pending', 'Normal',
     case l when 1 then 'Debit' else 'Credit' end::side, l, 'USD'
   from generate_series(1, 100000) n
   cross join generate_series(1, 2) l`,
  `insert into inbound_payment (book_id, inbound_payment_id, bank_reference, rail, direction, amount_cents, currency,
     originator_name, account_number_last4, status, reason, seq, occurred_at, created_at, proposed_account_id,
     proposed_by, proposed_at)
   select :book, ${numbered("n")}, 'W' || n, 'Rtp', 'Credit', 5, 'USD', 'A', '1234', 'Suspended', 'UnknownNumber', n,
     now(), now(), case when n <= 300 then ${numbered("1")} end, case when n <= 300 then 'maya' end,
     case when n <= 300 then now() end
   from generate_series(1, 50000) n`,
];

const { sql, readsOf } = await openBigBook(bookId, loads);

// Of a transaction: its row of the list, its opening, its two journals, its two entries and their accounts, a detail.
const rowsOfOne = 1 + 1 + 2 + 2 * 2 + 1;

it("reads as many pending transactions as it shows", async () => {
  const found = await listPendingTransactions(sql, book, 101);
  expect([found.length, Number(found[0]?.seq)]).toEqual([101, 898]);
  for (const { sequentialScans, rows } of await readsOf((own) => listPendingTransactions(own, book, 101))) {
    expect(sequentialScans).toEqual([]);
    expect(rows).toBeLessThanOrEqual(101 * (rowsOfOne + 3));
  }
});

it("reads as many proposed assignments as it shows", async () => {
  expect(await listProposedAssignments(sql, book, 101)).toHaveLength(101);
  for (const { sequentialScans, rows } of await readsOf((own) => listProposedAssignments(own, book, 101))) {
    expect(sequentialScans).toEqual([]);
    expect(rows).toBeLessThanOrEqual(101);
  }
});

it("stops counting at the maximum that it reports", async () => {
  expect(await countProposals(sql, book, 1_000)).toBe(600);
  for (const { sequentialScans, rows } of await readsOf((own) => countProposals(own, book, 400))) {
    expect(sequentialScans).toEqual([]);
    expect(rows).toBeLessThanOrEqual(1_000);
  }
});
