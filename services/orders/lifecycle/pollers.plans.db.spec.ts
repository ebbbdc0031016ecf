/**
 * The workers that poll orders read what is due by an index, on a database that was never analysed. Both plans are
 * tested: one for the values, and the one that a connection keeps.
 */
import { describe, expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { type Reads, readsOf, readsOfKeptPlan } from "../../../test/stack/database/plans.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { type BookFilter, everyBook } from "../../platform/handlers/batch-by-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { nextDueInBook } from "../clock/store/due-in-book.ts";
import { booksWithUnpostedMovements, claimUnpostedMovements } from "../store/parked-events.ts";
import { booksWithDueOrders, claimDueOrders } from "./store/due-orders.ts";

const units = await forThisFile(openFreshUnits("orders"));
const client = await forThisFile(connectTo(units.url));
const newBook = () => bookIdOf(newId("ten"), "Test");
const [book, ahead, other] = [newBook(), newBook(), newBook()];
const now = new Date("2026-03-04T17:00:00.000Z");

/**
 * 30,000 orders of one book: half are final, 100 are due and the rest are due tomorrow. 30,000 events are parked, of
 * which 100 moved money. Another book is a day ahead: of 30,000 orders on its clock, 100 are due.
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
    `insert into orders.payment_order (book_id, id, tenant_id, mode, phase, status, sequence, direction, rail,
       amount_cents, currency, ledger_account_id, ledger_account_name, basis, metadata, progress, due_at_in_book,
       created_by, created_at, updated_at)
     select $1, ('019c0000-0000-7000-8001-' || lpad(n::text, 12, '0'))::uuid, $1, 'Test', 'InFlight', 'Processing', 1,
       'Credit', 'Ach', 1, 'USD', $1, 'any', 'Actual', '{}', '{}',
       $2::timestamptz + interval '1 day' + case when n % 300 = 0 then interval '0' else interval '1 second' end,
       'maker', $2, $2
     from generate_series(1, 30000) n`,
    [uuidOf(ahead), now],
  ],
  [
    "insert into orders.book_clock values ($1, 1, 'Manual', 0, $2)",
    [uuidOf(ahead), "2026-03-05T17:00:00.000Z"],
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

describe("of a book with a clock of its own", () => {
  const only: BookFilter = { books: [ahead], only: true };
  const { sql } = units.database;

  it("orders are due when it is their time in the book", async () => {
    expect(await claimDueOrders(sql, now, 200, only)).toHaveLength(100);
    expect(await booksWithDueOrders(sql, now, 50, everyBook)).toEqual(expect.arrayContaining([book, ahead]));
    expect(await nextDueInBook(sql, ahead, now)).toEqual(new Date("2026-03-05T17:00:00.000Z"));
  });

  it("a book is due at once while its orders are still to be made due", async () => {
    const waiting = newBook();
    const at = "2026-03-06T17:00:00.000Z";
    await sql("insert into book_clock values ($1, 1, 'Manual', 0, $2)", [uuidOf(waiting), at]);
    expect(await nextDueInBook(sql, waiting, now)).toBeNull();
    await sql("insert into gate_recheck (book_id, after_id) values ($1, $1)", [uuidOf(waiting)]);
    expect(await nextDueInBook(sql, waiting, now)).toEqual(new Date(at));
  });

  it("the next time is found by an index", async () => {
    let reads: Reads | undefined;
    const counting: Sql = async (text, params = []) => {
      reads = await readsOf(sql, text, params);
      return [];
    };
    await nextDueInBook(counting, ahead, now);
    expect(reads).toMatchObject({ sequentialScans: [], rows: 1 });
  });
});

describe.each<[string, BookFilter, boolean]>([
  ["every book", everyBook, true],
  ["all but a failing book", { books: [other], only: false }, true],
  ["one book alone", { books: [book], only: true }, true],
  ["a book without any", { books: [other], only: true }, false],
])("of %s", (_which, filter, some) => {
  it.each(polls)("%s are found by an index", async (_what, poll) => {
    const found = await poll(units.database.sql, filter);
    expect(found.length > 0).toBe(some);
    const sent: { text: string; params: readonly unknown[] }[] = [];
    await poll(async (text, params = []) => {
      sent.push({
        text,
        params: params.map((value) => (value instanceof Date ? value.toISOString() : value)),
      });
      return [];
    }, filter);
    await client.query("set enable_seqscan = off");
    for (const { text, params } of sent) {
      for (const reads of [
        await readsOf(units.database.sql, text, params),
        await readsOfKeptPlan(client, text, params),
      ]) {
        expect(reads.sequentialScans.filter((table) => table !== "book_clock")).toEqual([]);
        // Each due row at most twice: once to find it, once to lock it; and the clocks.
        expect(reads.rows).toBeLessThanOrEqual(210);
      }
    }
  });
});
