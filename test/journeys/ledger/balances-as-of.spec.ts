import { afterAll, describe, expect, it } from "vitest";
import type { Balances, LedgerAccount } from "../../../contracts/http/ledger/ledger-accounts.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import { proveBooks } from "../../faults/evidence/prove.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { seedOtherTenant } from "../../world/system/operator.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const path = (query: string) => `/v1/ledger-accounts/${payer.accountId}?${query}`;
const account = async (query: string) => (await world.get<LedgerAccount>(path(query))).body;
const balances = async (query: string) => (await world.get<Balances>(`/v1/balances?${query}`)).body;
const problem = async (where: string) => {
  const { status, body } = await world.get<Problem>(where);
  return [status, body.code, body.errors?.[0]?.pointer];
};
/** A time that is over: everything after this call is recorded later. */
async function now(): Promise<string> {
  const time = new Date().toISOString();
  await until("the clock's next millisecond", () => new Date().toISOString() > time);
  return time;
}
const newYork = (time: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" }).format(new Date(time));

const world = await forThisFile(World.join());
const payer = await world.payerWith(usd("100.00"));
/** Before the order, while it waits for approval, and when it is final. */
const before = await now();
const order = await payer.pays(usd("40.00"), { rail: "Wire" });
await world.reaches(order.id, (seen) => seen.status === "Pending");
const waiting = await now();
for (const as of ["approver1", "approver2"] as const) {
  await world.post(`/v1/payment-orders/${order.id}/approve`, {}, { as });
}
await world.comesToRest(order.id);
afterAll(async () => {
  await proveBooks(world);
});

describe("a payer's balance", () => {
  it("can be read as of any time of the order's life, and never changes", async () => {
    const first = await account(`asOf=${before}`);
    expect(first).toMatchObject({
      asOf: before,
      postedBalanceCents: usd("100.00"),
      pendingBalanceCents: 0,
      availableBalanceCents: usd("100.00"),
    });
    expect(await account(`asOf=${waiting}`)).toMatchObject({
      postedBalanceCents: usd("100.00"),
      pendingBalanceCents: usd("40.00"),
      availableBalanceCents: usd("60.00"),
    });
    expect(await account(`asOf=${before}`)).toEqual(first);
    expect(await account("")).toMatchObject({ postedBalanceCents: usd("60.00"), pendingBalanceCents: 0 });
  });

  it("is in the book's balances as of that time, with the totals", async () => {
    const then = await balances(`asOf=${waiting}`);
    expect(then.asOf).toBe(waiting);
    expect(then.data.find(({ ledgerAccountId }) => ledgerAccountId === payer.accountId)).toMatchObject({
      pendingBalanceCents: usd("40.00"),
      availableBalanceCents: usd("60.00"),
    });
    expect(then.totals).toMatchObject([
      { postedBalanceCents: usd("100.00"), pendingBalanceCents: usd("40.00") },
    ]);
    expect(then.reconciliation).toMatchObject({
      settlementCashCents: usd("100.00"),
      subLedgerCents: usd("100.00"),
    });
  });

  it("can be read as of the end of a day, by effective date", async () => {
    const today = newYork(new Date().toISOString());
    const lastYear = newYork(new Date(Date.now() - 365 * 86_400_000).toISOString());
    expect(await account(`effectiveAsOf=${lastYear}`)).toMatchObject({
      effectiveAsOf: lastYear,
      postedBalanceCents: 0,
    });
    // A New York day may end between the order and this line: a day on, all of it has moved.
    const tomorrow = newYork(new Date(Date.now() + 86_400_000).toISOString());
    expect(await account(`effectiveAsOf=${tomorrow}`)).toMatchObject({ postedBalanceCents: usd("60.00") });
    expect((await balances(`effectiveAsOf=${today}`)).effectiveAsOf).toBe(today);
  });
});

describe("an invalid moment", () => {
  it.each([
    ["asOf=2999-01-01T00:00:00Z", [400, "invalid_field", "?asOf"]],
    ["asOf=yesterday", [400, "invalid_field", "?asOf"]],
    ["asOf=2026-02-30T00:00:00Z", [400, "invalid_field", "?asOf"]],
    ["asOf=0000-01-01T00:00:00Z", [400, "invalid_field", "?asOf"]],
    ["asOf=", [400, "invalid_field", "?asOf"]],
    ["asOf=2026-03-02T00:00:00Z&asOf=2026-03-03T00:00:00Z", [400, "invalid_field", "?asOf"]],
    ["effectiveAsOf=2026-02-30", [400, "invalid_field", "?effectiveAsOf"]],
    ["effectiveAsOf=2026-03-02T00:00:00Z", [400, "invalid_field", "?effectiveAsOf"]],
    ["asOf=2026-03-02T00:00:00Z&effectiveAsOf=2026-03-02", [400, "invalid_request", "?effectiveAsOf"]],
    ["asof=2026-03-02T00:00:00Z", [400, "unknown_parameter", "?asof"]],
  ])("%s is refused by name", async (query, refused) => {
    expect(await problem(path(query))).toEqual(refused);
    expect(await problem(`/v1/balances?${query}`)).toEqual(refused);
  });

  it("before the account was opened answers not_found, and names its opening time", async () => {
    const { status, body } = await world.get<Problem>(path("asOf=2020-01-01T00:00:00Z"));
    expect([status, body.code]).toEqual([404, "not_found"]);
    expect(body.detail).toContain((await account("")).createdAt);
    expect((await balances("asOf=2020-01-01T00:00:00Z")).data).toEqual([]);
  });

  it("of another tenant's account is not found", async () => {
    const neighbour = await seedOtherTenant(world, "Neighbour");
    const answer = await world.send(neighbour.keys.admin, "GET", path(`asOf=${waiting}`));
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
