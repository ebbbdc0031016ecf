/**
 * The workers that poll orders read what is due by an index, on a database that was never analysed. Both plans are
 * tested: one for the values, and the one that a connection keeps.
 */
import { describe, expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { readsOf, readsOfKeptPlan } from "../../../test/stack/plans.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/units.ts";
import { type BookFilter, everyBook } from "../../platform/handlers/batch-by-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { booksWithUnpostedMovements, claimUnpostedMovements } from "../store/deferred-events.ts";
import { booksWithDueOrders, claimDueOrders } from "../store/payment-orders.ts";

const units = await forThisFile(openFreshUnits("orders"));
const client = await forThisFile(connectTo(units.url));
const [book, other] = [bookIdOf(newId("ten"), "Test"), bookIdOf(newId("ten"), "Test")];
const now = new Date("2026-03-04T17:00:00.000Z");

/**
 * 30,000 orders of one book: half are final, 100 are due and the rest are due tomorrow. 30,000 events are parked, of
 * which 100 moved money.
 */
await asAdmin(
  units.adminUrl,
  "alter table orders.payment_order set (autovacuum_enabled = off)",
  "alter table orders.parked_event set (autovacuum_enabled = off)",
  [
    `insert into orders.payment_order (book_id, id, tenant_id, mode, phase, status, sequence, direction, rail,
       amount_cents, currency, ledger_account_id, ledger_account_name, basis, metadata, progress, due_at, created_by,
       created_at, updated_at)
     select $1, ('019c0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'Test', 'InFlight', 'Processing', 1,
       'Credit', 'Ach', 1, 'USD', $1, 'any', 'Actual', '{}', '{}',
       case when n % 300 = 0 then $2 when n % 2 = 1 then $2 + interval '1 day' end, 'maker', $2, $2
     from (select n, $2::timestamptz from generate_series(1, 30000) n) made`,
    [uuidOf(book), now],
  ],
  [
    `insert into orders.parked_event (message_id, book_id, order_id, reason, event, parked_at, ledger_transaction_id)
     select gen_random_uuid(), $1, 'po_' || n, 'any', '{}', $2, case when n % 300 = 0 then gen_random_uuid() end
     from generate_series(1, 30000) n`,
    [uuidOf(book), new Date(now.getTime() - 60_000)],
  ],
);

type Poll = (sql: Sql, filter: BookFilter) => Promise<readonly unknown[]>;
const polls: [string, Poll][] = [
  ["orders that are due", (sql, filter) => claimDueOrders(sql, now, 50, filter)],
  ["books with orders that are due", (sql, filter) => booksWithDueOrders(sql, now, 50, filter)],
  [
    "unposted movements",
    (sql, filter) => claimUnpostedMovements(sql, now, { after: undefined, limit: 50 }, filter),
  ],
  ["books with unposted movements", (sql, filter) => booksWithUnpostedMovements(sql, now, 50, filter)],
];

describe.each<[string, BookFilter, boolean]>([
  ["every book", everyBook, true],
  ["all but a failing book", { books: [other], only: false }, true],
  ["one book alone", { books: [book], only: true }, true],
  ["a book without any", { books: [other], only: true }, false],
])("of %s", (_which, filter, some) => {
  it.each(polls)("%s are found by an index", async (_what, poll) => {
    const found = await poll(units.database.sql, filter);
    expect(found.length > 0).toBe(some);
    let sent = { text: "", params: [] as readonly unknown[] };
    await poll(async (text, params = []) => {
      sent = { text, params: params.map((value) => (value instanceof Date ? value.toISOString() : value)) };
      return [];
    }, filter);
    await client.query("set enable_seqscan = off");
    for (const reads of [
      await readsOf(units.database.sql, sent.text, sent.params),
      await readsOfKeptPlan(client, sent.text, sent.params),
    ]) {
      expect(reads.sequentialScans).toEqual([]);
      // Each due row at most twice: once to find it, once to lock it.
      expect(reads.rows).toBeLessThanOrEqual(200);
    }
  });
});
