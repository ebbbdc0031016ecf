import { beforeEach, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId } from "../../../contracts/ids/ids.ts";
import { GetBalanceHistory, ListAccountJournals } from "../../../contracts/messages/ledger.ts";
import { holdOf, lateReturnOf, postingOf, settlementOf } from "../../../test/ledger/commands.ts";
import { writeAt } from "../../../test/ledger/rows/past.ts";
import { paid, refused, requestBy, Tenant } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { beginBook, openAccount } from "../../../test/ledger/rows/written.ts";
import { QueryHistory } from "./query-history.handler.ts";

const { units } = await openLedgerOfFile();
const reading = new QueryHistory(units.database);

const journalsOf = (tenant: Tenant, ledgerAccountId: string, query: object = {}) =>
  reading.journals(ListAccountJournals.data.parse({ ledgerAccountId, query }), requestBy(tenant.id));
const historyOf = (tenant: Tenant, ledgerAccountId: string, query: object) =>
  reading.history(GetBalanceHistory.data.parse({ ledgerAccountId, query }), requestBy(tenant.id));

describe("an account's journals", () => {
  let tenant: Tenant;
  let payroll: LedgerAccountId;
  let savings: LedgerAccountId;
  beforeEach(async () => {
    ({ tenant, payroll, savings } = await Tenant.withAccounts(units));
  });

  it("show an order's life, newest first: each change in both layers, and the balances after it", async () => {
    const order = newId("po");
    await tenant.writes(holdOf(order, payroll, 4_000));
    await tenant.writes(settlementOf(order), lateReturnOf(order));
    const { data, hasMore } = await journalsOf(tenant, payroll);
    expect(hasMore).toBe(false);
    expect(data.map(({ sequence, kind, change }) => [sequence, kind, change])).toEqual([
      [
        3,
        "LateReturn",
        { pendingCents: 0, pendingInboundCents: 0, postedCents: 4_000, availableCents: 4_000 },
      ],
      [2, "Settle", { pendingCents: -4_000, pendingInboundCents: 0, postedCents: -4_000, availableCents: 0 }],
      [1, "Hold", { pendingCents: 4_000, pendingInboundCents: 0, postedCents: 0, availableCents: -4_000 }],
    ]);
    expect(data.map(({ balancesAfter }) => Object.values(balancesAfter))).toEqual([
      [0, 0, 0, 0],
      [0, 0, -4_000, -4_000],
      [4_000, 0, 0, -4_000],
    ]);
    expect(data[0]).toMatchObject({
      transactionId: `lt_${order.slice(3)}`,
      owner: { kind: "PaymentOrder", id: order },
      description: null,
      effectiveAt: "2026-03-02T15:00:00.000Z",
    });
  });

  it("list a journal with several lines on the account once, with the sum of its lines", async () => {
    await tenant.moves([
      [savings, "Debit", 7],
      [savings, "Credit", 2],
      [savings, "Credit", 1],
      [payroll, "Credit", 4],
    ]);
    const { data } = await journalsOf(tenant, savings);
    expect(data).toMatchObject([
      { change: { postedCents: -4 }, balancesAfter: { postedBalanceCents: -4 }, description: "By hand" },
    ]);
    expect(data[0]!.owner).toBeNull();
  });

  it("of a Debit-normal account rise with debits", async () => {
    const expense = (await tenant.creates("Fees", { normalBalance: "Debit" })).id;
    await tenant.moves(paid(expense, savings, 250));
    const { data } = await journalsOf(tenant, expense);
    expect(data).toMatchObject([
      { change: { postedCents: 250 }, balancesAfter: { postedBalanceCents: 250 } },
    ]);
  });

  it("come page by page, each change counted from the journal before it on the next page", async () => {
    for (const cents of [1, 2, 3, 4, 5]) {
      await tenant.moves([...paid(payroll, savings, cents), ...paid(payroll, savings, cents)]);
    }
    const seen: number[][] = [];
    let cursor: string | null | undefined;
    do {
      const page = await journalsOf(tenant, savings, { limit: 2, cursor: cursor ?? undefined });
      seen.push(page.data.map(({ change }) => change.postedCents));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual([[10, 8], [6, 4], [2]]);
  });

  it("refuse another book's account, and a cursor of another account", async () => {
    const stranger = new Tenant(units);
    await expect(journalsOf(stranger, payroll)).rejects.toMatchObject(refused("not_found"));
    await tenant.moves(paid(payroll, savings, 1));
    await tenant.moves(paid(payroll, savings, 1));
    const { nextCursor } = await journalsOf(tenant, savings, { limit: 1 });
    await expect(journalsOf(tenant, payroll, { limit: 1, cursor: nextCursor })).rejects.toMatchObject(
      refused("cursor_filter_mismatch"),
    );
  });

  it("are none before the first", async () => {
    expect(await journalsOf(tenant, savings)).toEqual({ data: [], hasMore: false, nextCursor: null });
  });
});

describe("an account's balance history", () => {
  const day = (time: string) => `2026-03-02T${time}Z`;
  async function withPast() {
    const tenant = new Tenant(units);
    await beginBook(units.database.sql, { book: tenant.book, tenantId: tenant.id });
    const payroll = await openAccount(units.database.sql, tenant.book, { name: "Payroll" });
    const savings = await openAccount(units.database.sql, tenant.book, { name: "Savings" });
    const order = newId("po");
    const owned = { tenantId: tenant.id };
    await writeAt(units, tenant.book, day("10:30:00"), [
      postingOf([payroll, "Debit", 900], [savings, "Credit", 900]),
    ]);
    await writeAt(units, tenant.book, day("11:00:00"), [holdOf(order, savings, 400, owned)]);
    await writeAt(units, tenant.book, day("12:30:00"), [settlementOf(order)]);
    return { tenant, savings };
  }

  it("gives both layers at the end of each interval, zero before the first journal", async () => {
    const { tenant, savings } = await withPast();
    const history = await historyOf(tenant, savings, {
      from: day("09:00:00"),
      to: day("13:00:00"),
      points: 4,
    });
    expect(history).toMatchObject({
      ledgerAccountId: savings,
      ledgerAccountName: "Savings",
      from: day("09:00:00.000"),
      to: day("13:00:00.000"),
    });
    const shown = history.data.map(({ at, ...balances }) => [at, ...Object.values(balances)]);
    expect(shown).toEqual([
      [day("10:00:00.000"), 0, 0, 0, 0],
      // The hold of 11:00 was recorded at that very millisecond, so it counts.
      [day("11:00:00.000"), 400, 0, 900, 500],
      [day("12:00:00.000"), 400, 0, 900, 500],
      [day("13:00:00.000"), 0, 0, 500, 500],
    ]);
  });

  it("equals `asOf` at each of its times", async () => {
    const { tenant, payroll, savings } = await Tenant.withAccounts(units);
    const { createdAt } = await tenant.reading.get({ id: savings }, requestBy(tenant.id));
    for (const cents of [1, 2, 3]) await tenant.moves(paid(payroll, savings, cents));
    await tenant.writes(holdOf(newId("po"), savings, 2));
    const { data } = await historyOf(tenant, savings, { from: createdAt, points: 9 });
    expect(data.at(-1)).toMatchObject({ postedBalanceCents: 6, pendingBalanceCents: 2 });
    for (const { at, ...balances } of data) {
      expect(await tenant.reading.get({ id: savings, asOf: at }, requestBy(tenant.id))).toMatchObject(
        balances,
      );
    }
  });

  it("ends now unless `to` says otherwise, and has a hundred points by default", async () => {
    const { tenant, payroll, savings } = await Tenant.withAccounts(units);
    await tenant.moves(paid(payroll, savings, 5));
    const { data } = await historyOf(tenant, savings, { from: day("09:00:00") });
    expect(data).toHaveLength(100);
    expect(data.at(-1)).toMatchObject({ postedBalanceCents: 5, availableBalanceCents: 5 });
    expect(data[0]).toMatchObject({ postedBalanceCents: 0 });
  });

  it("refuses a future `to`, a `from` that is not before it, and another book's account", async () => {
    const { tenant, savings } = await withPast();
    const future = { from: day("09:00:00"), to: "2999-01-01T00:00:00Z" };
    await expect(historyOf(tenant, savings, future)).rejects.toMatchObject({
      ...refused("invalid_field"),
      message: expect.stringContaining("leave to out"),
    });
    const empty = { from: day("09:00:00"), to: day("09:00:00") };
    await expect(historyOf(tenant, savings, empty)).rejects.toMatchObject(refused("invalid_field"));
    const stranger = new Tenant(units);
    await expect(historyOf(stranger, savings, { from: day("09:00:00") })).rejects.toMatchObject(
      refused("not_found"),
    );
  });
});
