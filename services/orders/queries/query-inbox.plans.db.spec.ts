/** The inbox reads what it shows, in a book of many orders, beside another book in which many wait. */
import { beforeAll, describe, expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { readsOf } from "../../../test/stack/database/plans.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { countOpenProposals } from "../approval-policies/store/policy-proposals.ts";
import {
  countAwaitingApproval,
  listAwaitingApproval,
  listAwaitingHandOff,
} from "../store/orders-that-wait.ts";

const [book, other] = [bookIdOf(newId("ten"), "Test"), bookIdOf(newId("ten"), "Test")];
const units = await forThisFile(openFreshUnits("orders"));

/** Of `total` orders, every one for which `waits` holds waits for approval. */
const load = (total: number, waits: string) => `
  insert into orders.payment_order (book_id, id, tenant_id, mode, phase, status, sequence, direction, rail,
    amount_cents, currency, ledger_account_id, ledger_account_name, basis, metadata, progress, created_by,
    created_at, updated_at)
  select $1, ('019c0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'Test',
    case when ${waits} then 'AwaitingApproval' else 'Completed' end,
    case when ${waits} then 'Pending' else 'Completed' end, 1, 'Credit', 'Ach', 1, 'USD', $1, 'any', 'Actual', '{}',
    '{}', 'maker', now(), now()
  from generate_series(1, ${String(total)}) n`;
const proposals = (total: number, open: number) => `
  insert into orders.policy_proposal (book_id, id, status, policy, loosens, against_version, proposed_by,
    proposed_at, decided_by, decided_at)
  select $1, ('019c0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
    case when n <= ${String(open)} then 'Open' else 'Denied' end, '{}', '{}', 0, 'ann', now(),
    case when n > ${String(open)} then 'ben' end, case when n > ${String(open)} then now() end
  from generate_series(1, ${String(total)}) n`;

beforeAll(async () => {
  await asAdmin(
    units.adminUrl,
    [load(100_000, "n % 500 = 0"), [uuidOf(book)]],
    [load(20_000, "true"), [uuidOf(other)]],
    [proposals(20_000, 30), [uuidOf(book)]],
    [proposals(20_000, 20_000), [uuidOf(other)]],
    "vacuum analyze orders.payment_order, orders.policy_proposal",
  );
});

describe("the inbox", () => {
  it.each<[string, number, (sql: Sql, of: typeof book) => Promise<unknown>]>([
    ["the orders that wait for approval", 101, (sql, of) => listAwaitingApproval(sql, of, 101)],
    ["their number", 1_000, (sql, of) => countAwaitingApproval(sql, of, 1_000)],
    ["the number of open proposals", 1_000, (sql, of) => countOpenProposals(sql, of, 1_000)],
  ])("finds %s in at most %i rows", async (_what, rows, read) => {
    for (const of of [book, other]) {
      await read(async (text, params) => {
        const reads = await readsOf(units.database.sql, text, params);
        expect(reads.sequentialScans).toEqual([]);
        expect(reads.rows).toBeLessThanOrEqual(rows);
        return [];
      }, of);
    }
  });

  it("leaves the preview of a policy to the orders that wait, up to its limit", async () => {
    await listAwaitingHandOff(
      async (text, params) => {
        const reads = await readsOf(units.database.sql, text, params);
        expect(reads.sequentialScans).toEqual([]);
        // Each order is read twice: its key, then the row.
        expect(reads.rows).toBeLessThanOrEqual(2 * 200);
        return [];
      },
      book,
      1_001,
    );
  });

  it("counts up to its limit", async () => {
    const { sql } = units.database;
    expect(await countAwaitingApproval(sql, book, 1_000)).toBe(200);
    expect(await countAwaitingApproval(sql, other, 1_000)).toBe(1_000);
    expect(await countOpenProposals(sql, book, 1_000)).toBe(30);
  });
});
