import { beforeEach, describe, expect, it } from "vitest";
import { addDays } from "../../../contracts/rails/banking-calendar.ts";
import { balancesQuery } from "../../../contracts/http/ledger/ledger-accounts.ts";
import { type LedgerAccountId, newId } from "../../../contracts/ids/ids.ts";
import { requestBy, paid, Tenant, codeOf } from "../../../test/ledger/requests.ts";
import { writeAt } from "../../../test/ledger/rows/past.ts";
import { until } from "../../../test/stack/until.ts";
import { postingOf } from "../../../test/ledger/commands.ts";
import { beginBook } from "../../../test/ledger/rows/written.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";

let tenant: Tenant;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;

const { units } = await openLedgerOfFile();
beforeEach(async () => {
  tenant = new Tenant(units);
  await units.units.run(({ sql }) => beginBook(sql, { book: tenant.book, tenantId: tenant.id }));
  [payroll, savings] = [(await tenant.creates("Payroll")).id, (await tenant.creates("Savings")).id];
});

const account = (id: string, moment: object, by = tenant) =>
  by.reading.get({ id, ...moment }, requestBy(by.id));
const balances = (query: object) => tenant.reading.balances(balancesQuery.parse(query), requestBy(tenant.id));
/** The database's time; every later reading is a later millisecond. */
async function now(): Promise<string> {
  const [row] = await units.database.sql<{ now: Date }>("select clock_timestamp() as now");
  const time = row!.now.toISOString();
  await until("the clock's next millisecond", async () => {
    const [later] = await units.database.sql<{ now: Date }>("select clock_timestamp() as now");
    return later!.now.toISOString() > time;
  });
  return time;
}
/** Money that moved at a date of the test's choosing: the book began long ago. */
const moved = (from: LedgerAccountId, to: LedgerAccountId, cents: number, effectiveAt: string) =>
  tenant.writes({
    ...postingOf([from, "Debit", cents], [to, "Credit", cents]),
    effectiveAt,
  });
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const newYork = (time: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" }).format(new Date(time));

describe("a time of the past", () => {
  it("has the balances of that time, including the last journal that touched the account", async () => {
    await tenant.moves(paid(payroll, savings, 100));
    const time = await now();
    await tenant.moves(paid(payroll, savings, 11));
    expect(await account(savings, { asOf: time })).toMatchObject({
      id: savings,
      postedBalanceCents: 100,
      availableBalanceCents: 100,
      lastSequence: 1,
      asOf: time,
    });
    expect(await account(savings, {})).toMatchObject({ postedBalanceCents: 111, lastSequence: 2 });
    expect(await account(savings, {})).not.toHaveProperty("asOf");
    expect(await balances({ asOf: time })).toMatchObject({
      asOf: time,
      data: [{ postedBalanceCents: 100 }, { postedBalanceCents: -100 }],
      totals: [{ currency: "USD", postedBalanceCents: 0 }],
    });
  });

  it("includes a journal whose createdAt is exactly that time", async () => {
    const { createdAt } = await tenant.moves(paid(payroll, savings, 7));
    expect((await account(savings, { asOf: createdAt })).postedBalanceCents).toBe(7);
  });

  it("includes it also if its batch was recorded at the end of that millisecond", async () => {
    const [first, second] = [7, 5].map((cents) =>
      postingOf([payroll, "Debit", cents], [savings, "Credit", cents]),
    );
    const time = await now();
    await writeAt(units, tenant.book, time.replace("Z", "998Z"), [first!, second!]);
    const dates = await Promise.all(
      [first!, second!].map(async ({ transactionId }) => (await tenant.transaction(transactionId)).createdAt),
    );
    const next = new Date(Date.parse(time) + 1).toISOString();
    expect(dates).toEqual([next, next]);
    expect((await account(savings, { asOf: time })).postedBalanceCents).toBe(0);
    expect((await account(savings, { asOf: next })).postedBalanceCents).toBe(12);
  });

  it("may be written with any UTC offset", async () => {
    await tenant.moves(paid(payroll, savings, 7));
    const time = await now();
    const inBerlin = new Date(Date.parse(time) + 3_600_000).toISOString().replace("Z", "+01:00");
    expect(await account(savings, { asOf: inBerlin })).toMatchObject({ postedBalanceCents: 7, asOf: time });
  });

  it("counts a hold that was open then as pending", async () => {
    const { id } = await tenant.moves(paid(payroll, savings, 30), { status: "Pending" });
    const time = await now();
    await tenant.posts(id);
    expect(await account(payroll, { asOf: time })).toMatchObject({
      pendingBalanceCents: 30,
      postedBalanceCents: 0,
      availableBalanceCents: -30,
    });
  });

  it("answers not_found for an account opened later, and names its opening time", async () => {
    const time = await now();
    const later = await tenant.creates("Later");
    expect(await codeOf(account(later.id, { asOf: time }))).toBe("not_found");
    await expect(account(later.id, { asOf: time })).rejects.toThrow(later.createdAt);
    expect((await balances({ asOf: time })).data.map(({ name }) => name)).toEqual(["Savings", "Payroll"]);
    expect((await balances({})).data).toHaveLength(3);
  });

  it("before anything was recorded is zero in all totals", async () => {
    const time = await now();
    await tenant.moves(paid(payroll, savings, 5));
    expect(await balances({ asOf: time })).toMatchObject({
      data: [
        { name: "Savings", pendingBalanceCents: 0, postedBalanceCents: 0, availableBalanceCents: 0 },
        { name: "Payroll", pendingBalanceCents: 0, postedBalanceCents: 0, availableBalanceCents: 0 },
      ],
      totals: [{ currency: "USD", pendingBalanceCents: 0, postedBalanceCents: 0, availableBalanceCents: 0 }],
      reconciliation: { settlementCashCents: 0, subLedgerCents: 0, status: "NotReconciled", asOf: time },
    });
    expect(await balances({ asOf: "0001-01-01T00:00:00+15:00" })).toMatchObject({ data: [] });
  });

  it("is paged: a cursor is only valid for the moment that it was made for", async () => {
    const time = await now();
    const first = await balances({ asOf: time, limit: "1" });
    expect([first.data.map(({ name }) => name), first.hasMore]).toEqual([["Savings"], true]);
    await tenant.moves(paid(payroll, savings, 5));
    const next = await balances({ asOf: time, limit: "1", cursor: first.nextCursor });
    expect(next.data).toMatchObject([{ name: "Payroll", postedBalanceCents: 0 }]);
    for (const other of [{}, { asOf: await now() }, { effectiveAsOf: "2026-03-02" }]) {
      expect(await codeOf(balances({ ...other, cursor: first.nextCursor }))).toBe("cursor_filter_mismatch");
    }
  });

  it("in the future is refused, and so are two moments in one request", async () => {
    const tomorrow = daysAgo(-1);
    expect(await codeOf(account(savings, { asOf: tomorrow }))).toBe("invalid_field");
    expect(await codeOf(balances({ asOf: "9999-12-31T23:59:59Z" }))).toBe("invalid_field");
    const both = { asOf: await now(), effectiveAsOf: "2026-03-02" };
    expect(await codeOf(account(savings, both))).toBe("invalid_request");
    expect(await codeOf(balances(both))).toBe("invalid_request");
  });

  it("of another tenant's or an unknown account is not found", async () => {
    const stranger = new Tenant(units);
    await stranger.creates("Theirs");
    const moment = { asOf: await now() };
    expect(await codeOf(account(savings, moment, stranger))).toBe("not_found");
    expect(await codeOf(account(newId("la"), moment))).toBe("not_found");
    expect(await codeOf(account("la_none", { effectiveAsOf: "2026-03-02" }))).toBe("not_found");
  });
});

describe("the end of a day, by when the money moved", () => {
  it("includes journals recorded later but effective by that day, and none effective later", async () => {
    const effectiveAt = daysAgo(10);
    const day = newYork(effectiveAt);
    const dayBefore = addDays(day, -1);
    await moved(payroll, savings, 100, effectiveAt);
    await tenant.moves(paid(payroll, savings, 11));
    const posted = async (moment: object) => (await account(savings, moment)).postedBalanceCents;
    expect(await posted({ effectiveAsOf: dayBefore })).toBe(0);
    expect(await posted({ effectiveAsOf: day })).toBe(100);
    expect(await posted({ effectiveAsOf: addDays(day, 1) })).toBe(100);
    expect(await posted({ effectiveAsOf: newYork(daysAgo(-1)) })).toBe(111);
    // Then none of it was recorded yet, and the accounts were not opened.
    expect(await account(savings, { effectiveAsOf: day })).toMatchObject({
      effectiveAsOf: day,
      lastSequence: 2,
    });
    expect(await balances({ effectiveAsOf: day })).toMatchObject({
      effectiveAsOf: day,
      data: [
        { name: "Savings", postedBalanceCents: 100 },
        { name: "Payroll", postedBalanceCents: -100 },
      ],
      totals: [{ postedBalanceCents: 0 }],
    });
  });

  it("may be before all journals, or far in the future", async () => {
    await tenant.moves(paid(payroll, savings, 5));
    expect((await account(savings, { effectiveAsOf: "0001-01-01" })).postedBalanceCents).toBe(0);
    expect((await account(savings, { effectiveAsOf: "9999-12-31" })).postedBalanceCents).toBe(5);
  });

  it("is refused with balance_out_of_range if a balance is beyond a JSON number, though none was as recorded", async () => {
    const most = 9_000_000_000_000_000;
    await moved(payroll, savings, most, daysAgo(10));
    await moved(savings, payroll, most, daysAgo(0));
    await moved(payroll, savings, most, daysAgo(10));
    const day = newYork(daysAgo(5));
    expect(await codeOf(account(savings, { effectiveAsOf: day }))).toBe("balance_out_of_range");
    expect(await codeOf(balances({ effectiveAsOf: day }))).toBe("balance_out_of_range");
    expect((await account(savings, {})).postedBalanceCents).toBe(most);
  });
});
