/**
 * Each list of orders reads a bounded number of rows by an index, in a book with 100,000 orders and with current
 * statistics.
 */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bookIdOf, idOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { readsOf, type Reads } from "../../../test/stack/database/plans.ts";
import { type FreshUnits, openFreshUnits } from "../../../test/stack/database/units.ts";
import { listOrders } from "./store/find-orders.ts";
import type { Search } from "./store/order-filters.ts";

const book = bookIdOf(newId("ten"), "Test");
const account = (number: number) => `019c0000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const pageRows = 26;

type Query = Partial<Search>;

let units: FreshUnits;
beforeAll(async () => {
  units = await openFreshUnits("orders");
  const admin = new pg.Client(units.adminUrl);
  await admin.connect();
  await admin.query(load, [uuidOf(book)]);
  await admin.query(
    `insert into orders.status_change (book_id, order_id, position, to_status, at, actor)
     select book_id, id, reached.position, reached.status, reached.at, created_by
     from orders.payment_order
     cross join lateral (
       values (0, 'Draft', created_at), (1, 'Submitted', created_at), (2, status, updated_at)
     ) as reached (position, status, at)`,
  );
  await admin.query("vacuum analyze orders.payment_order, orders.order_metadata, orders.status_change");
  await admin.end();
});
afterAll(() => units.close());

/**
 * Order n of 100,000 was created n seconds into 2026. A hundred of the oldest thousand are rare, so that walking down
 * all orders would be expensive: USDC, Failed, Debits, account 7, `team` tax, R02 and amounts of 7 cents. An order
 * took a minute, a hundred old ones 90 days. Every fourth was returned with R03 at once. One in ten needed an approval
 * and got it at once. One in a thousand waits for approvals, and one order for its window.
 */
const load = `
  insert into orders.payment_order (book_id, id, tenant_id, mode, phase, status, sequence, direction, rail, amount_cents,
    currency, ledger_account_id, ledger_account_name, counterparty_id, external_id, basis, metadata, progress, created_by,
    created_at, updated_at)
  select $1, uuid, $1, 'Test',
    case when n % 1000 = 3 then 'AwaitingApproval' when n = 4 then 'AwaitingWindow' else status end,
    case when n % 1000 = 3 or n = 4 then 'Pending' else status end, 1, case when rare then 'Debit' else 'Credit' end,
    case when rare then 'Usdc' when n % 3 = 0 then 'Rtp' else 'Ach' end, case when rare then 7 else 1000 + n end, 'USD',
    ('019c0000-0000-7000-8000-' || lpad(case when rare then '7' else (100 + n % 50)::text end, 12, '0'))::uuid, 'any',
    case when n % 1000 = 1 then '019c0000-0000-7000-8000-00000000000c'::uuid end,
    case when n % 1000 = 2 then 'inv-1' end, 'Actual',
    case when rare then '{"team": "tax"}' when n % 5 = 0 then '{"team": "ops", "batch": "9"}' else '{}' end::jsonb,
    case when rare then '{"rail": {"return": {"code": "R02", "receivedAt": "2026-03-01T12:00:00.000Z"}}}'::jsonb
      when n % 4 = 1 then jsonb_build_object('rail', jsonb_build_object('return', jsonb_build_object('code', 'R03',
        'receivedAt', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))))
      else '{"rail": {"return": null}}' end
    || case when n % 10 = 7 then jsonb_build_object('approvals', jsonb_build_object('decision', jsonb_build_object(
        'decidedAt', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))) else '{}' end, 'maker',
    at, case when n <= 1000 and n % 10 = 1 then at + interval '90 days' else at + interval '1 minute' end
  from (
    select n, n <= 1000 and n % 10 = 0 as rare, at,
      case when n <= 1000 and n % 10 = 0 then 'Failed' when n > 99900 then 'Processing' else 'Completed' end as status,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(n::text, 12, '0'))::uuid
        as uuid
    from (
      select n, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second' as at from generate_series(1, 100000) n
    ) numbered
  ) made`;

async function read(
  query: Query,
  of = book,
  after: Search["after"] = null,
): Promise<Reads & { found: number[] }> {
  const search: Search = { ...query, limit: pageRows - 1, book: of, after };
  const found = await listOrders(units.database.sql, search);
  let reads: Reads | undefined;
  await listOrders(async (text, params) => {
    reads = await readsOf(units.database.sql, text, params);
    return [];
  }, search);
  if (reads === undefined) throw new Error("nothing was read");
  return { ...reads, found: found.map(({ order }) => Number(uuidOf(order.id).slice(-12))) };
}

/** Order n: its id begins with its time of creation. */
const orderAt = (n: number) => {
  const ms = (Date.parse("2026-01-01T00:00:00Z") + n * 1_000).toString(16).padStart(12, "0");
  return idOf("po", `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${String(n).padStart(12, "0")}`);
};
const newest = Array.from({ length: pageRows }, (_, index) => 100_000 - index);
/** The rare orders, newest first: 1000, 990, 980 … */
const rare = Array.from({ length: pageRows }, (_, index) => 1_000 - 10 * index);
const every = (step: number, from: number) =>
  Array.from({ length: pageRows }, (_, index) => from - step * index);

const late = every(10, 991);
const accounts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => idOf("la", account(from + index)));
const counterparty = idOf("cp", account(0).replace(/.$/, "c"));

const cases: [string, Query, number[]][] = [
  ["nothing", {}, newest],
  ["a common status", { status: ["Completed"] }, every(1, 99_900)],
  ["a rare status", { status: ["Failed"] }, rare],
  ["a status that no order has", { status: ["Returned"] }, []],
  ["several statuses", { status: ["Failed", "Cancelled", "Returned"] }, rare],
  ["the statuses under way", { status: ["Submitted", "Pending", "Processing"] }, newest],
  ["a common rail", { rail: ["Rtp"] }, every(3, 99_999)],
  ["a rare rail", { rail: ["Usdc"] }, rare],
  ["a common direction", { direction: ["Credit"] }, newest],
  ["a rare direction", { direction: ["Debit"] }, rare],
  ["rail and direction that never meet", { rail: ["Rtp"], direction: ["Debit"] }, []],
  ["status and rail", { status: ["Failed"], rail: ["Usdc"] }, rare],
  ["status and rail that never meet", { status: ["Failed"], rail: ["Rtp"] }, []],
  ["an externalId", { externalId: ["inv-1"] }, every(1_000, 99_002)],
  ["an externalId and a status", { externalId: ["inv-1"], status: ["Completed"] }, every(1_000, 99_002)],
  ["a counterparty", { counterpartyId: [counterparty] }, every(1_000, 99_001)],
  ["a busy account", { ledgerAccountId: [idOf("la", account(149))] }, every(50, 99_999)],
  ["a quiet account", { ledgerAccountId: [idOf("la", account(7))] }, rare],
  ["an account and a status", { ledgerAccountId: [idOf("la", account(7))], status: ["Failed"] }, rare],
  [
    "an account and none of its status",
    { ledgerAccountId: [idOf("la", account(149))], status: ["Failed"] },
    [],
  ],
  ["a return code", { returnCode: ["R02"] }, rare],
  ["a return code that never came", { returnCode: ["R01"] }, []],
  ["one amount", { "amountCents[gte]": 7, "amountCents[lte]": 7 }, rare],
  ["small amounts", { "amountCents[lte]": 1_001 }, rare],
  ["large amounts", { "amountCents[gte]": 50_000 }, newest],
  ["a narrow range of amounts", { "amountCents[gte]": 2_000, "amountCents[lte]": 2_099 }, every(1, 1_099)],
  ["a time", { "createdAt[lt]": "2026-01-01T00:16:41.000Z" }, every(1, 1_000)],
  ["a time to start from", { "createdAt[gte]": "2026-01-02T03:46:40.000Z" }, [100_000]],
  ["a time and a status", { "createdAt[lt]": "2026-01-01T00:16:41.000Z", status: ["Failed"] }, rare],
  [
    "a time and an account",
    { "createdAt[lt]": "2026-01-01T00:16:41.000Z", ledgerAccountId: [idOf("la", account(7))] },
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
  ["both directions", { direction: ["Credit", "Debit"] }, newest],
  ["several externalIds", { externalId: ["inv-0", "inv-1"] }, every(1_000, 99_002)],
  ["several counterparties", { counterpartyId: [counterparty, newId("cp")] }, every(1_000, 99_001)],
  ["several return codes", { returnCode: ["R01", "R02"] }, rare],
  ["thirty accounts", { ledgerAccountId: accounts(120, 149) }, newest.map((n) => n - 1)],
  [
    "several accounts and statuses",
    { ledgerAccountId: accounts(7, 20), status: ["Failed", "Returned"] },
    rare,
  ],
  ["several orders", { orderId: [99_999, 5].map(orderAt) }, [99_999, 5]],
  ["what waits for approvals", { awaiting: ["Approval"] }, every(1_000, 99_003)],
  ["what waits for its window", { awaiting: ["Window"] }, [4]],
  ["all that waits", { awaiting: ["Approval", "Window"] }, every(1_000, 99_003)],
  [
    "what waits on an account",
    { awaiting: ["Approval"], ledgerAccountId: accounts(103, 103) },
    every(1_000, 99_003),
  ],
  ["what waits on another account", { awaiting: ["Approval"], ledgerAccountId: accounts(104, 104) }, []],
  ["what waits and has failed", { awaiting: ["Approval"], status: ["Failed"] }, []],
  ["any submission", { "submittedAt[gte]": "2026-01-01T00:00:00Z" }, newest],
  ["an early submission", { "submittedAt[lt]": "2026-01-01T00:16:41Z" }, every(1, 1_000)],
  ["any completion", { "completedAt[gte]": "2026-01-01T00:00:00Z" }, late],
  ["a late completion", { "completedAt[gte]": "2026-03-01T00:00:00Z" }, late],
  [
    "ten seconds of completions",
    { "completedAt[gte]": "2026-01-01T00:02:00Z", "completedAt[lt]": "2026-01-01T00:02:10Z" },
    [69, 68, 67, 66, 65, 64, 63, 62],
  ],
  ["a completion of tomorrow", { "completedAt[gte]": "2038-01-01T00:00:00Z" }, []],
  [
    "a completion and a status that never meet",
    { "completedAt[gte]": "2026-01-01T00:00:00Z", status: ["Failed"] },
    [],
  ],
  [
    "a completion and a counterparty",
    { "completedAt[lt]": "2026-02-01T00:00:00Z", counterpartyId: [counterparty] },
    every(1_000, 99_001),
  ],
  [
    "a submission and a quiet account",
    { "submittedAt[lt]": "2026-02-01T00:00:00Z", ledgerAccountId: accounts(7, 7) },
    rare,
  ],
  [
    "an early submission and a late completion",
    { "submittedAt[lt]": "2026-01-01T00:02:00Z", "completedAt[gte]": "2026-03-01T00:00:00Z" },
    [111, 101, 91, 81, 71, 61, 51, 41, 31, 21, 11, 1],
  ],
  ["a return", { "returnedAt[gte]": "2026-03-01T12:00:00.000Z" }, rare],
  ["an early return", { "returnedAt[lt]": "2026-03-01T12:00:00.000Z" }, every(4, 99_997)],
  ["a return of tomorrow", { "returnedAt[gte]": "2038-01-01T00:00:00Z" }, []],
  ["any decision", { "decidedAt[gte]": "2026-01-01T00:00:00.000Z" }, every(10, 99_997)],
  ["an early decision", { "decidedAt[lt]": "2026-01-01T00:16:41.000Z" }, every(10, 997)],
  ["a decision of tomorrow", { "decidedAt[gte]": "2038-01-01T00:00:00Z" }, []],
  ["a late change", { "updatedAt[gte]": "2026-03-01T00:00:00Z" }, late],
  [
    "an early change",
    { "updatedAt[lt]": "2026-01-01T00:02:00Z" },
    [59, 58, 57, 56, 55, ...every(1, 54).slice(5)],
  ],
  [
    "an early change of an account",
    { "updatedAt[lt]": "2026-01-02T00:00:00Z", ledgerAccountId: accounts(7, 7) },
    rare,
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

it.each<[string, Query, string]>([
  ["submission", { "submittedAt[lt]": "2026-02-01T00:00:00Z" }, "2026-01-01T13:53:20Z"],
  ["completion", { "completedAt[lt]": "2026-02-01T00:00:00Z" }, "2026-01-01T13:54:20Z"],
  ["last change", { "updatedAt[lt]": "2026-02-01T00:00:00Z" }, "2026-01-01T13:54:20Z"],
  ["return", { "returnedAt[lt]": "2026-02-01T00:00:00Z" }, "2026-01-01T13:53:20Z"],
  ["decision", { "decidedAt[lt]": "2026-02-01T00:00:00Z" }, "2026-01-01T13:53:20Z"],
])("a late page in the order of %s reads a page", async (time, query, at) => {
  const { found, sequentialScans, rows } = await read(query, book, { at, uuid: uuidOf(orderAt(50_000)) });
  const next = { return: every(4, 49_997), decision: every(10, 49_997) }[time] ?? every(1, 49_999);
  expect([found, sequentialScans]).toEqual([next, []]);
  // Each order is read twice, with its three status changes.
  expect(rows).toBeLessThanOrEqual(8 * pageRows);
});

describe("a list of orders that are all alike", () => {
  const alike = bookIdOf(newId("ten"), "Test");
  // The planner now expects every value to be common, because nearly all orders in its sample are alike.
  beforeAll(async () => {
    const admin = new pg.Client(units.adminUrl);
    await admin.connect();
    await admin.query("delete from orders.payment_order");
    const none = ["n <= 1000 and n % 10 = 0", "n % 1000 = 3", "n = 4", "n % 3 = 0"];
    await admin.query(
      none.reduce((text, rareOnes) => text.replaceAll(rareOnes, "false"), load),
      [uuidOf(alike)],
    );
    await admin.query("vacuum analyze orders.payment_order");
    await admin.end();
  });

  it.each<[string, Query]>([
    ["another status", { status: ["Failed"] }],
    ["other statuses", { status: ["Failed", "Returned", "Cancelled"] }],
    ["another rail", { rail: ["Wire"] }],
    ["another direction", { direction: ["Debit"] }],
    ["another account", { ledgerAccountId: [idOf("la", account(7))] }],
    [
      "a status that its account never had",
      { ledgerAccountId: [idOf("la", account(149))], status: ["Failed"] },
    ],
    ["another externalId", { externalId: ["inv-2"] }],
    ["another counterparty", { counterpartyId: [idOf("cp", account(1))] }],
    ["a return code", { returnCode: ["R01"] }],
    ["other metadata", { metadata: { team: "tax" } }],
    ["another amount", { "amountCents[lte]": 999 }],
    ["what waits", { awaiting: ["Approval", "Window"] }],
    ["a return of tomorrow", { "returnedAt[gte]": "2038-01-01T00:00:00Z" }],
    ["a change of tomorrow", { "updatedAt[gte]": "2038-01-01T00:00:00Z" }],
    ["a completion of tomorrow", { "completedAt[gte]": "2038-01-01T00:00:00Z" }],
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
