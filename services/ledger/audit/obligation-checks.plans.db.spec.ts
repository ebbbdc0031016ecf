/** The auditor's checks of a page of obligations read that page alone: 50,000 in the book, with 200,000 events. */
import { expect, it } from "vitest";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { numbered, openBigBook, uuid } from "../../../test/ledger/rows/big-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { verifyObligations } from "./store/page-checks.ts";

const book = newUuid();
const many = 50_000;
const lines = `'[{"amountCents": 100}]'::jsonb`;
const journal = "journal (book_id, seq, transaction_id, order_id, command_id, resolves_seq, kind";
const entry = "entry (book_id, account_id, seq, line, account_version, layer, role, direction, amount_cents";
const counters =
  "held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit, currency)";
const order = numbered("1000000 + n");

/** Each obligation is fixed, amended within its sum, and paid: three journals, and four events. */
const loads = [
  "insert into book (book_id, tenant_id, mode) values (:book, gen_random_uuid(), 'Test')",
  `insert into obligation (book_id, obligation_id, type, status, reference, lines, fixed_cents, payment_order_id,
     event_count, created_by, created_at, updated_at)
   select :book, ${numbered("n")}, 'Other', 'Relieved', 'Return ' || n, ${lines}, 100, ${order}, 4, 'maker', now(), now()
   from generate_series(1, ${many}) n`,
  `insert into obligation_event (book_id, obligation_id, position, kind, order_id, amount_cents, transaction_id, seq, lines,
     actor, at)
   select :book, ${numbered("n")}, position, kind, case when pays then ${order} end, cents,
     case when pays then ${order} when step = 1 then ${numbered("2000000 + n")} end, n * 3 - 3 + step,
     case when not pays then ${lines} end, 'maker', now()
   from generate_series(1, ${many}) n
   cross join (values (1, 'Fixed', false, 100, 1), (2, 'Amended', false, 0, null), (3, 'Held', true, 100, 2),
     (4, 'Cleared', true, 100, 3)) as e (position, kind, pays, cents, step)`,
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   select :book, ${numbered("n")}, n::text, 'USD', 'Credit', 'ObligationLiability', 'Allowed'
   from generate_series(1, ${many}) n`,
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   values (:book, ${numbered("0")}, 'Settlement cash', 'USD', 'Debit', 'SettlementCash', 'Allowed')`,
  `insert into account_balance (book_id, account_id, version, posted_debit, posted_credit)
   select :book, ${numbered("n")}, 4, 100, 100 from generate_series(1, ${many}) n`,
  `insert into ${journal}, effective_at, recorded_at, line_count, digest)
   select :book, n * 3 - 3 + step, case when step = 1 then ${numbered("2000000 + n")} else ${order} end,
     case when step > 1 then ${order} end, gen_random_uuid(), case when step = 3 then n * 3 - 1 end, kind, now(), now(), 2,
     sha256('')
   from generate_series(1, ${many}) n
   cross join (values (1, 'Accrue'::journal_kind), (2, 'Hold'), (3, 'Settle')) as k (step, kind)`,
  `insert into ${entry}, ${counters}
   select :book, case when line % 2 = 1 then ${numbered("n")} else ${numbered("0")} end, n * 3 - 3 + step, line,
     case when line % 2 = 1 then version else n * 4 - 4 + version end, layer, role, direction, 100, 0, 0, 0, 0, 0, 0, 'USD'
   from generate_series(1, ${many}) n
   cross join (values
     (1, 1, 1, 'Posted'::layer, 'Normal'::entry_role, 'Credit'::side), (1, 2, 1, 'Posted', 'Normal', 'Debit'),
     (2, 1, 2, 'Pending', 'Normal', 'Debit'), (2, 2, 2, 'Pending', 'Normal', 'Credit'),
     (3, 1, 3, 'Pending', 'Discharge', 'Credit'), (3, 2, 3, 'Pending', 'Discharge', 'Debit'),
     (3, 3, 4, 'Posted', 'Normal', 'Debit'), (3, 4, 4, 'Posted', 'Normal', 'Credit')
   ) as l (step, line, version, layer, role, direction)`,
];
const { sql, readsOf } = await openBigBook(idOf("book", book), loads);

it("a page of 200 obligations reads its own events, journals and entries", async () => {
  const page = (run: Sql) => verifyObligations(run, idOf("book", book), uuid(25_000), 200);
  expect(await page(sql)).toEqual({ next: uuid(25_200), violations: [] });
  for (const { sequentialScans, rows } of await readsOf(page, "service")) {
    expect(sequentialScans).toEqual([]);
    // Each obligation has four events, four entries and three journals, and a check reads some of them twice.
    expect(rows).toBeLessThanOrEqual(200 * 40);
  }
});
