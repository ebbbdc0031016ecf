import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { paid, refused, Tenant } from "../../../test/ledger/requests.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/units.ts";
import { holdOf } from "../../../test/ledger/commands.ts";

let units: TestUnits;
let tenant: Tenant;
let payroll: string;
let savings: string;

beforeAll(async () => {
  units = await openFreshUnits("ledger");
});
afterAll(() => units.close());
beforeEach(async () => {
  tenant = new Tenant(units);
  payroll = (await tenant.creates("Payroll")).id;
  savings = (await tenant.creates("Savings")).id;
});

describe("the list of transactions", () => {
  it("goes from the newest on, page by page, whoever they belong to", async () => {
    const first = await tenant.moves(paid(payroll, savings, 500));
    const second = await tenant.moves(paid(payroll, savings, 500), { status: "Pending" });
    await tenant.posts(second.id);
    const order = newId("po");
    await tenant.writes(holdOf(order, payroll as `la_${string}`, 1));
    const page = await tenant.transactions({ limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual([`lt_${order.slice(3)}`, second.id]);
    expect(page.hasMore).toBe(true);
    const rest = await tenant.transactions({ limit: 2, cursor: page.nextCursor });
    expect(rest).toEqual({ data: [await tenant.transaction(first.id)], hasMore: false, nextCursor: null });
    await expect(
      tenant.transactions({ limit: 2, cursor: page.nextCursor, ledgerAccountId: payroll }),
    ).rejects.toMatchObject(refused("cursor_filter_mismatch"));
  });

  it("by account has each once, however many of its lines are on it", async () => {
    const other = (await tenant.creates("Other")).id;
    const [a, b] = [
      await tenant.moves([
        [other, "Debit", 5],
        [other, "Credit", 2],
        [savings, "Credit", 3],
      ]),
      await tenant.moves(paid(other, savings, 5)),
    ];
    await tenant.moves(paid(payroll, savings, 500));
    await tenant.reverses(a.id);
    const page = await tenant.transactions({ ledgerAccountId: other, limit: 1 });
    expect(page.data.map(({ id }) => id)).toEqual([b.id]);
    const rest = await tenant.transactions({ ledgerAccountId: other, limit: 1, cursor: page.nextCursor });
    expect(rest.data.map(({ id }) => id)).toEqual([a.id]);
    expect(rest.hasMore).toBe(false);
  });

  it("by time has those that were written from then on, and before", async () => {
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push(await tenant.moves(paid(payroll, savings, 500)));
    const ids = made.map(({ id }) => id);
    const [, second, , fourth] = made.map(({ createdAt }) => createdAt);
    // Some may share a millisecond: what the filters say of them is what their times say.
    const from = made.filter(({ createdAt }) => createdAt >= second!).map(({ id }) => id);
    const between = made
      .filter(({ createdAt }) => createdAt >= second! && createdAt < fourth!)
      .map(({ id }) => id);
    const listed = async (query: object) =>
      (await tenant.transactions(query)).data.map(({ id }) => id).reverse();
    expect(await listed({ "createdAt[gte]": second })).toEqual(from);
    expect(await listed({ "createdAt[gte]": second, "createdAt[lt]": fourth })).toEqual(between);
    expect(
      await listed({ ledgerAccountId: savings, "createdAt[gte]": second, "createdAt[lt]": fourth }),
    ).toEqual(between);
    expect(await listed({ "createdAt[lt]": "2020-01-01T00:00:00Z" })).toEqual([]);
    expect(await listed({ "createdAt[gte]": "9999-01-01T00:00:00Z" })).toEqual([]);
    expect(await listed({ "createdAt[gte]": "0001-01-01T00:00:00Z" })).toEqual(ids);
  });

  it("by externalId has that one, where it fits the other filters", async () => {
    const { id, createdAt } = await tenant.moves(paid(payroll, savings, 500), { externalId: "fee-1" });
    const found = async (query: object) =>
      (await tenant.transactions({ externalId: "fee-1", ...query })).data.map((each) => each.id);
    expect(await found({})).toEqual([id]);
    expect(await found({ ledgerAccountId: payroll })).toEqual([id]);
    expect(await found({ ledgerAccountId: newId("la") })).toEqual([]);
    expect(await found({ "createdAt[lt]": createdAt })).toEqual([]);
  });
});
