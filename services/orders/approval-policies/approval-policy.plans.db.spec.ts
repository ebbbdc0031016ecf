/** The statements of every creation and every policy change read by an index, however many rows a book has. */
import type { EntityManager } from "@mikro-orm/postgresql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { readsOf, statementsOf } from "../../../test/stack/database/plans.ts";
import { type FreshUnits, openFreshUnits } from "../../../test/stack/database/units.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { readPolicy } from "./store/approval-policies.ts";
import { entities } from "../entities.ts";
import { defaultApprovalPolicy } from "../order/approval-policy.ts";
import { requirementsByRange } from "../order/approvals.ts";
import { readBookRules } from "../store/books.ts";
import {
  lockUsage,
  updateUsage,
  readUsage,
  lockOrdersToRecount,
  recountUsage,
} from "../store/daily-usage.ts";
import { listProposals, readProposal, supersedeProposals } from "./store/policy-proposals.ts";
import { raiseAwaitingHandOff } from "../store/orders-that-wait.ts";
import { beginRecheck } from "../rechecks/store/rechecks.ts";

const [book, other] = [bookIdOf(newId("ten"), "Test"), bookIdOf(newId("ten"), "Test")];
const now = new Date("2026-01-02T12:00:00.000Z");

let units: FreshUnits;
beforeAll(async () => {
  units = await openFreshUnits("orders", entities);
  const admin = new pg.Client(units.adminUrl);
  await admin.connect();
  for (const statement of load) await admin.query(statement, [uuidOf(book)]);
  await admin.query("vacuum analyze");
  await admin.end();
});
afterAll(() => units.close());

/**
 * 100,000 orders, a second apart, of which the last 200 wait; 100,000 proposals, of which the oldest 50 are open;
 * 20,000 versions of a policy; 20,000 books that were suspended once; usage of 20,000 days.
 */
const load = [
  `insert into orders.payment_order (book_id, id, tenant_id, mode, phase, status, sequence, direction, rail, amount_cents,
     currency, ledger_account_id, ledger_account_name, basis, metadata, progress, due_at, created_by, created_at,
     updated_at)
   select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(n::text, 12, '0'))::uuid,
     $1, 'Test', case when n > 99800 then 'AwaitingApproval' else 'Completed' end,
     case when n > 99800 then 'Pending' else 'Completed' end, 1, 'Credit', 'Ach', 1, 'USD', $1, 'any', 'Actual', '{}',
     jsonb_build_object('limitDate', (at at time zone 'America/New_York')::date), case when n > 99800 then at end, 'maker', at, at
   from (select n, timestamptz '2026-01-01T12:00:00Z' + n * interval '1 second' as at from generate_series(1, 100000) n) m`,
  `insert into orders.status_change (book_id, order_id, position, from_status, to_status, at, actor)
   select book_id, id, 1, 'Draft', 'Submitted', created_at, 'maker' from orders.payment_order where book_id = $1`,
  `insert into orders.policy_proposal (book_id, id, status, policy, loosens, against_version, proposed_by, proposed_at,
     decided_by, decided_at)
   select $1, ('019c0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
     case when n <= 50 then 'Open' when n > 40000 then 'Superseded' when n % 2 = 0 then 'Approved' else 'Denied' end,
     '{}', '{}', 0, 'ann', now(),
     case when n > 50 then 'ben' end, case when n > 50 then now() end
   from generate_series(1, 100000) n`,
  `insert into orders.approval_policy (book_id, version, policy, put_by, put_at)
   select $1, n, '{}', 'ann', now() from generate_series(1, 20000) n`,
  `insert into orders.book_status (book_id, active, since)
   select case when n = 0 then $1::uuid else gen_random_uuid() end, true, now() from generate_series(0, 19999) n`,
  `insert into orders.daily_usage (book_id, day, used_cents)
   select $1, date '2026-01-01' + n, 0 from generate_series(0, 19999) n`,
];

/** Everything that the statements of `read` return. Each runs once for its result and once for its plan. */
async function reading(read: (sql: Sql, em: EntityManager) => Promise<unknown>) {
  const { sql } = units.database;
  const all = { sequentialScans: [] as string[], rows: 0 };
  const count = async (text: string, params: readonly unknown[] = []) => {
    const { sequentialScans, rows } = await readsOf(sql, text, params);
    all.sequentialScans.push(...sequentialScans);
    all.rows += rows;
  };
  let statements: readonly string[] = [];
  const rolledBack = new Error("rolled back, so that the plans are of what the statements met");
  const done = units.database.transaction(async ({ em }) => {
    statements = statementsOf(em);
    await read(async <R extends object>(text: string, params: readonly unknown[] = []) => {
      await count(text, params);
      return sql<R>(text, params);
    }, em);
    throw rolledBack;
  });
  await expect(done).rejects.toBe(rolledBack);
  for (const text of statements) await count(text);
  return all;
}

describe("an index", () => {
  const move = { book, day: "2026-01-02", cents: 1 };
  it.each<[string, number, (sql: Sql, em: EntityManager) => Promise<unknown>]>([
    ["the rules of a batch's books", 5, (sql) => readBookRules(sql, [book, other])],
    ["the policy in force", 1, (sql) => readPolicy(sql, book)],
    ["the lock of a day's usage", 10, (sql) => lockUsage(sql, new Map([[book, "2026-01-02"]]))],
    ["a day's usage", 1, (sql) => readUsage(sql, book, "2026-01-02")],
    ["the usage that orders take and give back", 5, (sql) => updateUsage(sql, [move, move])],
    ["a page of proposals", 26, (_sql, em) => listProposals(em, book, { limit: 25 }, null)],
    ["a page of open ones", 26, (_sql, em) => listProposals(em, book, { limit: 25, status: ["Open"] }, null)],
    [
      "a page of several statuses",
      52,
      (_sql, em) => listProposals(em, book, { limit: 25, status: ["Approved", "Denied"] }, null),
    ],
    ["one proposal", 1, (_sql, em) => readProposal(em, book, newId("prop"))],
    ["open proposals to supersede", 100, (_sql, em) => supersedeProposals(em, book, "ann", now)],
    // Each row is read once to find it and twice to update it.
    ["waiting orders to make due", 1_000, (sql) => beginRecheck(sql, { book, kind: "Gate" }, now)],
    [
      "orders that wait for returns to make due",
      10,
      (sql) => beginRecheck(sql, { book, kind: "CompletionDelay" }, now),
    ],
    [
      "what waits in a book to move over to its clock",
      1_500,
      (sql) => beginRecheck(sql, { book, kind: "FirstClock" }, now),
    ],
    [
      "waiting orders to raise",
      700,
      (sql) =>
        raiseAwaitingHandOff(sql, book, requirementsByRange(defaultApprovalPolicy), { now, realNow: now }),
    ],
  ])("finds %s in at most %i rows", async (_what, rows, read) => {
    const reads = await reading(read);
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThanOrEqual(rows);
  });

  it("limits a recount of a day to the orders submitted on it", async () => {
    const reads = await reading((sql) => recountUsage(sql, book, "2026-01-02"));
    expect(reads.sequentialScans).toEqual([]);
    // One order per second since midnight in New York: each with the row of its history.
    expect(reads.rows).toBeLessThanOrEqual(2 * 38_801 + 1);
    expect(await readUsage(units.database.sql, book, "2026-01-02")).toBe(38_801);
  });

  it("limits the orders that a recount locks to those submitted on its day, and those that wait", async () => {
    const reads = await reading((sql) => lockOrdersToRecount(sql, book, "2026-01-02"));
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThanOrEqual(3 * 38_801 + 1_200);
  });
});
