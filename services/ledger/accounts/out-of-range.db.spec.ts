import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId } from "../../../contracts/ids/ids.ts";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { GetStatement } from "../../../contracts/messages/ledger.ts";
import { holdOf, lateReturnOf, postingOf, settlementOf } from "../../../test/ledger/commands.ts";
import { paid, refused, requestBy, Tenant } from "../../../test/ledger/requests.ts";
import { someCursor } from "../../../test/ledger/world.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/database/units.ts";
import { QueryProof } from "../audit/query-proof.handler.ts";
import { QueryStatement } from "./query-statement.handler.ts";

const largest = 9_007_199_254_740_991;
let units: TestUnits;
let tenant: Tenant;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;
let reserve: LedgerAccountId;

/** A book whose account Payroll a late return took one cent beyond a JSON number. */
async function aBookBeyond() {
  const owner = new Tenant(units);
  const open = async (name: string) => (await owner.creates(name)).id as LedgerAccountId;
  const accounts = [await open("Payroll"), await open("Savings"), await open("Reserve")] as const;
  const [own, from, other] = accounts;
  const order = newId("po");
  await owner.writes(holdOf(order, own, 1_000), settlementOf(order));
  await owner.writes(postingOf([from, "Debit", largest], [own, "Credit", largest]));
  const { effectiveAt } = await owner.moves(paid(other, own, 1));
  await owner.writes(lateReturnOf(order));
  return { owner, accounts, lastDay: newYorkDate(new Date(effectiveAt)) };
}

beforeAll(async () => {
  units = await openFreshUnits("ledger");
  ({
    owner: tenant,
    accounts: [payroll, savings, reserve],
  } = await aBookBeyond());
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

it("refuses to show a proof whose debits sum up beyond a JSON number, and says that this is for good", async () => {
  await expect(new QueryProof(units.database).proof({}, requestBy(tenant.id))).rejects.toMatchObject({
    ...refused("balance_out_of_range"),
    message: expect.stringContaining("JSON can't show its proof any more") as string,
  });
});

describe("a statement", () => {
  const days = { from: "2000-01-01", to: "2099-12-31" };
  const read = (owner: Tenant, ledgerAccountId: string, query: object) =>
    new QueryStatement(units.database, someCursor).get(
      GetStatement.data.parse({ ledgerAccountId, query: { ...days, limit: 25, ...query } }),
      requestBy(owner.id),
    );

  it("that ends beyond names the day, and is readable up to another day", async () => {
    const { owner, accounts } = await aBookBeyond();
    await expect(read(owner, accounts[0], {})).rejects.toMatchObject({
      ...refused("balance_out_of_range"),
      message: expect.stringContaining("at the end of 2099-12-31") as string,
    });
    expect(await read(owner, accounts[0], { to: "2000-01-02" })).toMatchObject({
      closingBalanceCents: 0,
      data: [],
    });
  });

  it("that passes beyond is readable up to that line, and the page after it names the line's day", async () => {
    const { owner, accounts, lastDay } = await aBookBeyond();
    const [own, other] = accounts;
    await owner.moves(paid(own, other, 5));
    const page = await read(owner, own, {});
    expect(page.closingBalanceCents).toBe(largest - 4);
    expect(page.data.map(({ balanceCents }) => balanceCents)).toEqual([-1_000, 0, largest]);
    expect(page.hasMore).toBe(true);
    const next = read(owner, own, { cursor: page.nextCursor });
    await expect(next).rejects.toMatchObject({
      ...refused("balance_out_of_range"),
      message: expect.stringContaining(`on ${lastDay}`) as string,
    });
  });
});
