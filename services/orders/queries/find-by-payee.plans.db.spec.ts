/** A payee's name is found along its index, in a book with 20,000 orders and with current statistics. */
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { readsOf, type Reads } from "../../../test/stack/database/plans.ts";
import { type FreshUnits, openFreshUnits } from "../../../test/stack/database/units.ts";
import { findByPayee } from "./store/find-by-payee.ts";

const book = bookIdOf(newId("ten"), "Test");

/**
 * Every tenth order is to one of ten payees that were typed in. The newest hundred orders are on their way, the oldest
 * hundred name a counterparty.
 */
const load = `
  insert into orders.payment_order (book_id, id, tenant_id, mode, phase, status, sequence, direction, rail, amount_cents,
    currency, ledger_account_id, ledger_account_name, counterparty_id, counterparty_name, basis, metadata, progress,
    created_by, created_at, updated_at)
  select $1::uuid, ('019c0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1::uuid, 'Test',
    case when n > 19900 then 'Settling' else 'Completed' end,
    case when n > 19900 then 'Processing' else 'Completed' end, 1, 'Credit', 'Ach', 100, 'USD', $1::uuid, 'any',
    case when n <= 100 then $1::uuid end, case when n % 10 = 9 then 'Payee ' || n / 10 % 10 end, 'Actual', '{}',
    '{"rail": {"return": null}}', 'maker', now(), now()
  from generate_series(1, 20000) n`;

let units: FreshUnits;
beforeAll(async () => {
  units = await openFreshUnits("orders");
  const admin = new pg.Client(units.adminUrl);
  await admin.connect();
  await admin.query(load, [uuidOf(book)]);
  await admin.query("vacuum analyze orders.payment_order");
  await admin.end();
});
afterAll(() => units.close());

it.each<[string, number, number[]]>([
  ["pAyEe 7", 8, [19_879, 19_779, 19_679, 19_579, 19_479, 19_379, 19_279, 19_179]],
  ["payee", 8, [19_809, 19_709, 19_609, 19_509, 19_409, 19_309, 19_209, 19_109]],
  ["nobody", 8, []],
])("%j reads as many orders as it finds", async (prefix, limit, expected) => {
  const found = await findByPayee(units.database.sql, book, prefix, limit);
  expect(found.map(({ id }) => Number(uuidOf(id).slice(-12)))).toEqual(expected);
  let reads: Reads | undefined;
  const explain = async (text: string, params?: readonly unknown[]) => {
    reads = await readsOf(units.database.sql, text, params);
    return [];
  };
  await findByPayee(explain, book, prefix, limit);
  expect(reads?.sequentialScans).toEqual([]);
  expect(reads?.rows).toBeLessThanOrEqual(limit);
});

it("finds no order that names a counterparty, and none that is being settled", async () => {
  const found = await findByPayee(units.database.sql, book, "Payee 7", 100);
  expect(found.length).toBe(100);
  const all = await findByPayee(units.database.sql, book, "Payee 7", 1_000);
  const numbers = all.map(({ id }) => Number(uuidOf(id).slice(-12)));
  expect([Math.max(...numbers), Math.min(...numbers), numbers.length]).toEqual([19_879, 179, 198]);
});
