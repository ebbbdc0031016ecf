/**
 * Each list of orders reads a bounded number of rows by an index, in a book with 100,000 orders and with current
 * statistics.
 */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PaymentOrderQuery } from "../../../contracts/http/payments/payment-order-query.ts";
import { bookIdOf, idOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { readsOf, type Reads } from "../../../test/stack/plans.ts";
import { type FreshUnits, openFreshUnits } from "../../../test/stack/units.ts";
import { listOrders, type Search } from "../store/find-orders.ts";

const book = bookIdOf(newId("ten"), "Test");
const account = (number: number) => `019c0000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const pageRows = 26;

let units: FreshUnits;
beforeAll(async () => {
  units = await openFreshUnits("orders");
  const admin = new pg.Client(units.adminUrl);
  await admin.connect();
  await admin.query(load, [uuidOf(book)]);
  await admin.query(
    `insert into orders.status_change (book_id, order_id, position, to_status, at, actor)
     select book_id, id, 0, 'Draft', created_at, created_by
     from orders.payment_order`,
  );
  await admin.query("vacuum analyze orders.payment_order, orders.order_metadata, orders.status_change");
  await admin.end();
});
afterAll(() => units.close());

/**
 * Order n of 100,000 was created n seconds into 2026. A hundred of the oldest thousand are rare, so that walking down
 * all orders would be expensive: USDC, Failed, Debits, account 7, `team` tax, R02 and amounts of 7 cents.
 */
const load = `
  insert into orders.payment_order (book_id, id, tenant_id, mode, phase, status, sequence, direction, rail, amount_cents,
    currency, ledger_account_id, ledger_account_name, counterparty_id, external_id, basis, metadata, progress, created_by,
    created_at, updated_at)
  select $1, uuid, $1, 'Test', status, status, 1, case when rare then 'Debit' else 'Credit' end,
    case when rare then 'Usdc' when n % 3 = 0 then 'Rtp' else 'Ach' end, case when rare then 7 else 1000 + n end, 'USD',
    ('019c0000-0000-7000-8000-' || lpad(case when rare then '7' else (100 + n % 50)::text end, 12, '0'))::uuid, 'any',
    case when n % 1000 = 1 then '019c0000-0000-7000-8000-00000000000c'::uuid end,
    case when n % 1000 = 2 then 'inv-1' end, 'Actual',
    case when rare then '{"team": "tax"}' when n % 5 = 0 then '{"team": "ops", "batch": "9"}' else '{}' end::jsonb,
    case when rare then '{"rail": {"return": {"code": "R02"}}}' else '{"rail": {"return": null}}' end::jsonb, 'maker',
    at, at
  from (
    select n, n <= 1000 and n % 10 = 0 as rare, at,
      case when n <= 1000 and n % 10 = 0 then 'Failed' when n > 99900 then 'Processing' else 'Completed' end as status,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(n::text, 12, '0'))::uuid
        as uuid
    from (
      select n, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second' as at from generate_series(1, 100000) n
    ) numbered
  ) made`;

async function read(query: Partial<PaymentOrderQuery>, of = book): Promise<Reads & { found: number[] }> {
  const { ledgerAccountId, cursor: _cursor, ...rest } = query;
  const search: Search = { ...rest, ledgerAccountId, limit: pageRows - 1, book: of, afterUuid: null };
  const found = await listOrders(units.database.sql, search);
  let reads: Reads | undefined;
  await listOrders(async (text, params) => {
    reads = await readsOf(units.database.sql, text, params);
    return [];
  }, search);
  if (reads === undefined) throw new Error("nothing was read");
  return { ...reads, found: found.map(({ order }) => Number(uuidOf(order.id).slice(-12))) };
}

const newest = Array.from({ length: pageRows }, (_, index) => 100_000 - index);
/** The rare orders, newest first: 1000, 990, 980 … */
const rare = Array.from({ length: pageRows }, (_, index) => 1_000 - 10 * index);
const every = (step: number, from: number) =>
  Array.from({ length: pageRows }, (_, index) => from - step * index);

const cases: [string, Partial<PaymentOrderQuery>, number[]][] = [
  ["nothing", {}, newest],
  ["a common status", { status: ["Completed"] }, every(1, 99_900)],
  ["a rare status", { status: ["Failed"] }, rare],
  ["a status that no order has", { status: ["Returned"] }, []],
  ["several statuses", { status: ["Failed", "Cancelled", "Returned"] }, rare],
  ["the statuses under way", { status: ["Submitted", "Pending", "Processing"] }, newest],
  ["a common rail", { rail: ["Rtp"] }, every(3, 99_999)],
  ["a rare rail", { rail: ["Usdc"] }, rare],
  ["a common direction", { direction: "Credit" }, newest],
  ["a rare direction", { direction: "Debit" }, rare],
  ["rail and direction that never meet", { rail: ["Rtp"], direction: "Debit" }, []],
  ["status and rail", { status: ["Failed"], rail: ["Usdc"] }, rare],
  ["status and rail that never meet", { status: ["Failed"], rail: ["Rtp"] }, []],
  ["an externalId", { externalId: "inv-1" }, every(1_000, 99_002)],
  ["an externalId and a status", { externalId: "inv-1", status: ["Completed"] }, every(1_000, 99_002)],
  ["a counterparty", { counterpartyId: idOf("cp", account(0).replace(/.$/, "c")) }, every(1_000, 99_001)],
  ["a busy account", { ledgerAccountId: idOf("la", account(149)) }, every(50, 99_999)],
  ["a quiet account", { ledgerAccountId: idOf("la", account(7)) }, rare],
  ["an account and a status", { ledgerAccountId: idOf("la", account(7)), status: ["Failed"] }, rare],
  [
    "an account and none of its status",
    { ledgerAccountId: idOf("la", account(149)), status: ["Failed"] },
    [],
  ],
  ["a return code", { returnCode: "R02" }, rare],
  ["a return code that never came", { returnCode: "R01" }, []],
  ["one amount", { "amountCents[gte]": 7, "amountCents[lte]": 7 }, rare],
  ["small amounts", { "amountCents[lte]": 1_001 }, rare],
  ["large amounts", { "amountCents[gte]": 50_000 }, newest],
  ["a narrow range of amounts", { "amountCents[gte]": 2_000, "amountCents[lte]": 2_099 }, every(1, 1_099)],
  ["a time", { "createdAt[lt]": "2026-01-01T00:16:41.000Z" }, every(1, 1_000)],
  ["a time to start from", { "createdAt[gte]": "2026-01-02T03:46:40.000Z" }, [100_000]],
  ["a time and a status", { "createdAt[lt]": "2026-01-01T00:16:41.000Z", status: ["Failed"] }, rare],
  [
    "a time and an account",
    { "createdAt[lt]": "2026-01-01T00:16:41.000Z", ledgerAccountId: idOf("la", account(7)) },
    rare,
  ],
  ["common metadata", { metadata: { team: "ops" } }, every(5, 100_000)],
  ["rare metadata", { metadata: { team: "tax" } }, rare],
  ["two pairs", { metadata: { team: "ops", batch: "9" } }, every(5, 100_000)],
  ["metadata and a status", { metadata: { team: "tax" }, status: ["Failed"] }, rare],
  [
    "metadata and a time",
    { metadata: { team: "ops" }, "createdAt[lt]": "2026-01-01T00:16:41.000Z" },
    every(10, 995),
  ],
];

describe("a list of 100,000 orders", () => {
  it.each(cases)(
    "by %s finds the matching orders, newest first, by an index",
    async (_what, query, expected) => {
      const { found, sequentialScans, rows } = await read(query);
      expect(found.slice(0, 5)).toEqual(expected.slice(0, 5));
      expect(found.length).toBe(expected.length);
      expect(sequentialScans).toEqual([]);
      expect(rows).toBeLessThanOrEqual(50 * pageRows);
    },
  );
});

describe("a list of orders that are all alike", () => {
  const alike = bookIdOf(newId("ten"), "Test");
  // The planner now expects every value to be common, because nearly all orders in its sample are alike.
  beforeAll(async () => {
    const admin = new pg.Client(units.adminUrl);
    await admin.connect();
    await admin.query("delete from orders.payment_order");
    await admin.query(load.replaceAll("n <= 1000 and n % 10 = 0", "false").replace("n % 3 = 0", "false"), [
      uuidOf(alike),
    ]);
    await admin.query("vacuum analyze orders.payment_order");
    await admin.end();
  });

  it.each<[string, Partial<PaymentOrderQuery>]>([
    ["another status", { status: ["Failed"] }],
    ["other statuses", { status: ["Failed", "Returned", "Cancelled"] }],
    ["another rail", { rail: ["Wire"] }],
    ["another direction", { direction: "Debit" }],
    ["another account", { ledgerAccountId: idOf("la", account(7)) }],
    [
      "a status that its account never had",
      { ledgerAccountId: idOf("la", account(149)), status: ["Failed"] },
    ],
    ["another externalId", { externalId: "inv-2" }],
    ["another counterparty", { counterpartyId: idOf("cp", account(1)) }],
    ["a return code", { returnCode: "R01" }],
    ["other metadata", { metadata: { team: "tax" } }],
    ["another amount", { "amountCents[lte]": 999 }],
  ])("reads almost nothing by %s", async (_what, query) => {
    const { found, sequentialScans, rows } = await read(query, alike);
    expect([found, sequentialScans]).toEqual([[], []]);
    expect(rows).toBeLessThanOrEqual(pageRows);
  });
});

it("counts the rows that a plan reads: a list that no index serves is caught", async () => {
  const statement =
    "select * from payment_order where basis = 'Demo' and book_id = $1 order by id desc limit 26";
  const [row] = await units.database.sql<{ book_id: string }>("select book_id from payment_order limit 1");
  const { rows } = await readsOf(units.database.sql, statement, [row?.book_id]);
  expect(rows).toBeGreaterThan(50 * pageRows);
});
