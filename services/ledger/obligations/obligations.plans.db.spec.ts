/** Each list of obligations reads along an index, a bounded number of rows: 50,000 in the book, as many in another. */
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import { obligationQuery } from "../../../contracts/http/ledger/obligations.ts";
import { readsOf, readsOfKeptPlan } from "../../../test/stack/database/plans.ts";
import { type FreshUnits, openFreshUnits } from "../../../test/stack/database/units.ts";
import { everyBook } from "../../platform/handlers/batch-by-book.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { findObligation, listObligations } from "./store/list-obligations.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { claimDueRequests } from "../posting/store/obligations.ts";
import { guardsOff } from "../../../test/stack/database/guards-off.ts";

const books = ["019c0000-0000-7000-8000-00000000000b", "019c0000-0000-7000-8000-00000000000c"] as const;
const [book] = books;
const uuid = (n: number) => `019c0000-0000-7000-8000-${String(n).padStart(12, "0")}`;

let units: FreshUnits;
let client: pg.Client;
beforeAll(async () => {
  units = await openFreshUnits("ledger");
  const admin = new pg.Client(units.adminUrl);
  await admin.connect();
  // Realistic rows, inserted without the triggers that check each of them. One in a thousand is Fixed, a reference has
  // 25, and two wait for their order.
  await admin.query(guardsOff("ledger"));
  await admin.query("set search_path = ledger");
  await admin.query(
    `insert into obligation (book_id, obligation_id, type, status, reference, lines, fixed_cents, event_count, created_by,
       created_at, updated_at)
     select b.book, ('019c0000-0000-7000-8000-' || lpad((n * 2 + b.number)::text, 12, '0'))::uuid,
       case when n % 1000 = 1 then 'Other' else 'FuelTaxReturn' end, case when n % 1000 = 0 then 'Fixed' else 'Relieved' end,
       'Return ' || n % 2000, '[]', 100, 1, 'maker', now(), now()
     from generate_series(1, 50000) n
     cross join (values ($1::uuid, 0), ($2::uuid, 1)) as b (book, number)`,
    [...books],
  );
  await admin.query(
    `update obligation
     set status = 'Remitting', payment_order_id = gen_random_uuid(), remittance_cents = 100, remittance_rail = 'Ach',
       funding_account_id = gen_random_uuid(), requested_by = '{}', request_due_at = now()
     where obligation_id in ($1, $2)`,
    [uuid(14), uuid(15)],
  );
  await admin.query(
    `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
     select book_id, obligation_id, obligation_id::text, 'USD', 'Credit', 'ObligationLiability', 'Allowed' from obligation`,
  );
  await admin.query(
    "insert into account_balance (book_id, account_id, posted_credit) select book_id, account_id, 100 from account",
  );
  await admin.query(
    `insert into obligation_event (book_id, obligation_id, position, kind, amount_cents, actor, at)
     select book_id, obligation_id, 1, 'Fixed', 100, 'maker', now() from obligation`,
  );
  await admin.query("vacuum analyze");
  await admin.end();
  client = new pg.Client(units.url);
  await client.connect();
  // As the tenants' reader, like `readTenantSnapshot`.
  await client.query(`set search_path = ledger; set role ledger_reader; set ledger.book = '${book}'`);
});
afterAll(async () => {
  await client.end();
  await units.close();
});

/** The statement that `run` sends. */
async function statementOf(run: (sql: Sql) => Promise<unknown>) {
  let statement: { text: string; params: readonly unknown[] } | undefined;
  const read: Sql = (text, params = []) => {
    statement = { text, params };
    return Promise.resolve([]);
  };
  await run(read);
  if (statement === undefined) throw new Error("nothing was read");
  return statement;
}

/** The rows that it reads, with a custom plan and with a generic plan. */
async function reads(run: (sql: Sql) => Promise<unknown>) {
  const { text, params } = await statementOf(run);
  return [
    await readTenantSnapshot(units.database, idOf("book", book), (own) => readsOf(own, text, params)),
    await readsOfKeptPlan(client, text, params),
  ];
}

const page = (filters: object) => obligationQuery.parse({ ...filters, limit: 10 });

it.each<[string, object, string | null, string]>([
  ["all of them", {}, null, uuid(100_000)],
  ["all of them, from the middle", {}, uuid(5_000), uuid(4_998)],
  ["those that are Fixed", { status: "Fixed" }, null, uuid(100_000)],
  ["those that are Fixed, from the middle", { status: "Fixed" }, uuid(50_001), uuid(50_000)],
  ["those that are Relieved", { status: "Relieved" }, null, uuid(99_998)],
  ["those of a rare type", { type: "Other" }, null, uuid(98_002)],
  ["those of a reference", { reference: "Return 7" }, null, uuid(96_014)],
  ["those of several statuses", { status: ["Fixed", "Open"] }, null, uuid(100_000)],
  ["those of all types", { type: ["Other", "FuelTaxReturn"] }, null, uuid(100_000)],
  ["those of several references", { reference: ["Return 7", "Return 8"] }, null, uuid(96_016)],
  [
    "those of a reference and several types",
    { reference: "Return 7", type: ["Other", "FuelTaxReturn"] },
    null,
    uuid(96_014),
  ],
])("lists %s by an index", async (_which, filters, after, newest) => {
  const found = await listObligations(units.database.sql, book, page(filters), after);
  expect(found[0]?.obligation_id).toBe(newest);
  expect(found).toHaveLength(11);
  for (const { sequentialScans, rows } of await reads((sql) =>
    listObligations(sql, book, page(filters), after),
  )) {
    expect(sequentialScans).toEqual([]);
    // Each row with its balance, and a page of each value.
    expect(rows).toBeLessThanOrEqual(33);
  }
});

it("reads one with its balance and its events", async () => {
  for (const { sequentialScans, rows } of await reads((sql) => findObligation(sql, book, uuid(500)))) {
    expect([sequentialScans, rows]).toEqual([[], 3]);
  }
});

it("claims those that wait for orders, and reads no others", async () => {
  const { text, params } = await statementOf((sql) => claimDueRequests(sql, new Date(), 20, everyBook));
  const seen = await readsOf(units.database.sql, text, params);
  expect(seen.sequentialScans).toEqual([]);
  // The two obligations: found, joined, updated.
  expect(seen.rows).toBeLessThanOrEqual(6);
});
