import { afterAll, beforeAll, expect, it } from "vitest";
import { type LedgerAccountId, newId } from "../../../contracts/ids/ids.ts";
import { holdOf, lateReturnOf, postingOf, settlementOf } from "../../../test/ledger/commands.ts";
import { paid, refused, requestBy, Tenant } from "../../../test/ledger/requests.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/units.ts";

const largest = 9_007_199_254_740_991;
let units: TestUnits;
let tenant: Tenant;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;
let reserve: LedgerAccountId;

beforeAll(async () => {
  units = await openFreshUnits("ledger");
  tenant = new Tenant(units);
  const open = async (name: string) => (await tenant.creates(name)).id as LedgerAccountId;
  [payroll, savings, reserve] = [await open("Payroll"), await open("Savings"), await open("Reserve")];
  const order = newId("po");
  await tenant.writes(holdOf(order, payroll, 1_000), settlementOf(order));
  await tenant.writes(postingOf([savings, "Debit", largest], [payroll, "Credit", largest]));
  await tenant.moves(paid(reserve, payroll, 1));
  await tenant.writes(lateReturnOf(order));
});
afterAll(() => units.close());

const account = (id: string) => tenant.reading.get({ id }, requestBy(tenant.id));

it.each([
  ["the account", () => account(payroll)],
  ["the list of accounts", () => tenant.lists()],
  ["all balances", () => tenant.balances()],
])("refuses to read %s after a late return took a balance beyond a JSON number", async (_what, read) => {
  await expect(read()).rejects.toMatchObject(refused("balance_out_of_range"));
});

it("reads other accounts, and the entries of this one", async () => {
  expect((await tenant.entriesOf(payroll)).data).toHaveLength(6);
  expect(await account(savings)).toMatchObject({ postedBalanceCents: -largest });
});

it("refuses a posting that leaves the balance out of range, and takes one that brings it back", async () => {
  expect(await tenant.refusalBy(() => tenant.moves(paid(reserve, payroll, 1)))).toMatchObject(
    refused("balance_out_of_range"),
  );
  await tenant.moves(paid(payroll, savings, 1));
  expect(await account(payroll)).toMatchObject({ postedBalanceCents: largest });
});
