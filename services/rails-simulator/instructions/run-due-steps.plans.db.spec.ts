/** The worker reads only what is due, in a database without statistics as a young one is. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Reads, readsOf } from "../../../test/stack/database/plans.ts";
import { type FreshUnits, openFreshUnits } from "../../../test/stack/database/units.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { bookIdOf, newId, newUuid } from "../../../contracts/ids/ids.ts";
import { everyBook } from "../../platform/handlers/batch-by-book.ts";
import { booksWithDueSteps, claimDue, readNextDue } from "./store/due-instructions.ts";
import { silence, unsilence } from "./store/undelivered-instructions.ts";

const now = new Date("2026-03-02T15:00:00.000Z");
const claim = { limit: 500, maxPerBook: 50, afterBook: belowAllUuids, filter: everyBook };

let units: FreshUnits;
beforeAll(async () => {
  units = await openFreshUnits("rails");
  const admin = new pg.Client(units.adminUrl);
  await admin.connect();
  await admin.query("alter table rails.instruction set (autovacuum_enabled = false)");
  await admin.query(
    `insert into rails.instruction (order_id, book_id, next_due_at)
     select gen_random_uuid(), gen_random_uuid(),
       case when n <= 3 then $1::timestamptz when n <= 100 then $1::timestamptz + interval '1 day' end
     from generate_series(1, 10000) n`,
    [now.toISOString()],
  );
  await admin.end();
});
afterAll(() => units.close());

/** What the statements of one call read together. */
async function readsOfCall(call: (sql: Sql) => Promise<unknown>): Promise<Reads> {
  const all: Reads[] = [];
  await call(async (text, params) => {
    all.push(await readsOf(units.database.sql, text, params));
    return [];
  });
  return {
    sequentialScans: all.flatMap(({ sequentialScans }) => sequentialScans),
    rows: all.reduce((sum, { rows }) => sum + rows, 0),
  };
}

const hour = 3_600_000;

/** A Manual book with 2,000 instructions, of which two are due when its clock stands at `now`, a day ahead. */
async function addBookWithClock(standsAt: Date): Promise<void> {
  const admin = new pg.Client(units.adminUrl);
  await admin.connect();
  const book = newUuid();
  await admin.query(
    `insert into rails.book_clock (book_id, sequence, mode, lead_ms, stands_at) values ($1, 1, 'Manual', 0, $2)`,
    [book, standsAt],
  );
  await admin.query(
    `insert into rails.instruction (order_id, book_id, next_due_at, on_book_clock)
     select gen_random_uuid(), $1, $2::timestamptz + (n - 2) * interval '1 minute', true
     from generate_series(1, 2000) n`,
    [book, standsAt],
  );
  await admin.end();
}

describe("among 10,000 instructions of which three are due", () => {
  it("finds out when the next step is due by one row of the index", async () => {
    const before = new Date(now.getTime() - 1);
    expect(await readNextDue(units.database.sql, before)).toEqual(now);
    expect(await readsOfCall((sql) => readNextDue(sql, before))).toMatchObject({
      sequentialScans: [],
      rows: 1,
    });
  });

  it("claims the three without reading others", async () => {
    const reads = await readsOfCall((sql) => claimDue(sql, now, claim));
    expect(reads).toMatchObject({ sequentialScans: [], rows: 3 });
  });

  it("claims those of a book with a clock at the time of that book", async () => {
    await addBookWithClock(new Date(now.getTime() + 24 * hour));
    const before = new Date(now.getTime() - hour);
    const reads = await readsOfCall((sql) => claimDue(sql, before, claim));
    // The clock, and its two instructions.
    expect(reads.rows).toBe(3);
    expect(await units.units.run(({ sql }) => claimDue(sql, before, claim))).toHaveLength(2);
    expect(await booksWithDueSteps(units.database.sql, before, 9, everyBook)).toHaveLength(1);
    expect(await readNextDue(units.database.sql, before)).toEqual(before);
    // No book's clock makes a step due that comes later than one in real time.
    const after = new Date(now.getTime() + hour);
    expect(await readNextDue(units.database.sql, after)).toEqual(now);
  });

  it("claims at most the limit from all books with a clock together, not from each", async () => {
    const before = new Date(now.getTime() - hour);
    await addBookWithClock(new Date(now.getTime() + 24 * hour));
    const due = await units.units.run(({ sql }) => claimDue(sql, before, claim));
    expect(due.length).toBeGreaterThan(3);
    expect(await units.units.run(({ sql }) => claimDue(sql, before, { ...claim, limit: 3 }))).toHaveLength(3);
  });

  it("silences the payments of a book at an outage, and lets them go on, without reading other books", async () => {
    const book = bookIdOf(newId("ten"), "Test");
    const begin = await readsOfCall((sql) => silence(sql, book, { rail: "Ach" }));
    expect(begin).toMatchObject({ sequentialScans: [], rows: 0 });
    const end = await readsOfCall((sql) => unsilence(sql, book, [], 1_000));
    expect(end).toMatchObject({ sequentialScans: [], rows: 0 });
  });
});
