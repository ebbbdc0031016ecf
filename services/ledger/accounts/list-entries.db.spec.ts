import { beforeEach, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { requestBy, Tenant, codeOf } from "../../../test/ledger/requests.ts";
import {
  holdOf,
  lateReturnOf,
  postingOf,
  releaseOf,
  reversalOf,
  settlementOf,
} from "../../../test/ledger/commands.ts";
import { writeAt } from "../../../test/ledger/rows/past.ts";
import { beginBook, openAccount } from "../../../test/ledger/rows/written.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";

let tenant: Tenant;

const { units } = await openLedgerOfFile();
beforeEach(() => {
  tenant = new Tenant(units);
});

describe("an account's entries", () => {
  let payroll: LedgerAccountId;
  beforeEach(async () => {
    payroll = (await tenant.creates("Payroll")).id;
  });

  it("show an order's life, newest first, each with the entry that it offsets", async () => {
    const order = newId("po");
    await tenant.writes(holdOf(order, payroll, 4_000));
    await tenant.writes(settlementOf(order), lateReturnOf(order));
    const { data } = await tenant.entriesOf(payroll);
    expect(data.map((e) => [e.sequence, e.kind, e.status, e.direction, e.amountCents])).toEqual([
      [3, "LateReturn", "Posted", "Credit", 4_000],
      [2, "Settle", "Posted", "Debit", 4_000],
      [2, "Discharge", "Pending", "Credit", 4_000],
      [1, "Hold", "Pending", "Debit", 4_000],
    ]);
    const [returned, settled, discharged, held] = data;
    expect(returned!.reversesEntryId).toBe(settled!.id);
    expect(discharged!.reversesEntryId).toBe(held!.id);
    expect([settled!.reversesEntryId, held!.reversesEntryId]).toEqual([null, null]);
    expect(new Set(data.map(({ id }) => id)).size).toBe(4);
    for (const entry of data) {
      expect(entry).toMatchObject({ transactionId: `lt_${order.slice(3)}`, paymentOrderId: order });
      expect(entry.effectiveAt).toBe("2026-03-02T15:00:00.000Z");
    }
    expect(await tenant.reading.get({ id: payroll }, requestBy(tenant.id))).toMatchObject({
      lastSequence: 3,
      postedBalanceCents: 0,
    });
  });

  it("of a manual posting and its reversal name no order", async () => {
    const savings = (await tenant.creates("Savings")).id;
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    await tenant.writes(posting, reversalOf(posting));
    const { data } = await tenant.entriesOf(savings);
    expect(data).toMatchObject([
      { kind: "Reverse", direction: "Debit", paymentOrderId: null, transactionId: posting.transactionId },
      { kind: "Post", direction: "Credit", reversesEntryId: null },
    ]);
    expect(data[0]!.reversesEntryId).toBe(data[1]!.id);
  });

  it("can be filtered by status, and are paged", async () => {
    const [one, two] = [newId("po"), newId("po")];
    await tenant.writes(holdOf(one, payroll, 1), holdOf(two, payroll, 2), settlementOf(one), releaseOf(two));
    expect((await tenant.entriesOf(payroll, { status: "Posted" })).data.map((e) => e.amountCents)).toEqual([
      1,
    ]);
    expect((await tenant.entriesOf(payroll, { status: ["Posted", "Pending"] })).data).toHaveLength(5);
    const first = await tenant.entriesOf(payroll, { limit: 2 });
    expect(first.data.map((e) => [e.kind, e.amountCents])).toEqual([
      ["Discharge", 2],
      ["Settle", 1],
    ]);
    const second = await tenant.entriesOf(payroll, { limit: 5, cursor: first.nextCursor });
    expect(second.data.map((e) => [e.kind, e.amountCents])).toEqual([
      ["Discharge", 1],
      ["Hold", 2],
      ["Hold", 1],
    ]);
    expect(second.hasMore).toBe(false);
    const savings = (await tenant.creates("Savings")).id;
    expect(await codeOf(tenant.entriesOf(savings, { cursor: first.nextCursor }))).toBe(
      "cursor_filter_mismatch",
    );
  });
});

describe("an account's entries by time", () => {
  const recorded = [
    ["2026-03-06T12:00:00.000Z", "2026-03-06T12:00:00.000Z", 1],
    ["2026-03-07T12:00:00.000Z", "2026-03-04T12:00:00.000Z", 2],
    ["2026-03-08T12:00:00.000Z", "2026-03-08T12:00:00.000Z", 3],
    ["2026-03-09T12:00:00.000Z", "2026-03-08T11:00:00.000Z", 4],
  ] as const;
  const savingsWith = async () => {
    const own = new Tenant(units);
    await beginBook(units.database.sql, { book: own.book, tenantId: own.id });
    const payroll = await openAccount(units.database.sql, own.book, { name: "Payroll" });
    const savings = await openAccount(units.database.sql, own.book, { name: "Savings" });
    for (const [at, effectiveAt, cents] of recorded) {
      const posting = postingOf([payroll, "Debit", cents], [savings, "Credit", cents]);
      await writeAt(units, own.book, at, [{ ...posting, effectiveAt }]);
    }
    return async (query: object) =>
      (await own.entriesOf(savings, query)).data.map(({ amountCents }) => amountCents);
  };

  it("are in the order of their record, either way, in pages too", async () => {
    const centsOf = await savingsWith();
    expect(await centsOf({})).toEqual([4, 3, 2, 1]);
    expect(await centsOf({ order: "Newest" })).toEqual([4, 3, 2, 1]);
    expect(await centsOf({ order: "Oldest" })).toEqual([1, 2, 3, 4]);
  });

  it("can be cut to the times at which they were recorded", async () => {
    const centsOf = await savingsWith();
    const [second, last] = ["2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z"];
    expect(await centsOf({ "createdAt[gte]": second, "createdAt[lt]": last })).toEqual([3, 2]);
    expect(await centsOf({ "createdAt[gte]": second, order: "Oldest" })).toEqual([2, 3, 4]);
    expect(await centsOf({ "createdAt[lt]": "2026-03-01T00:00:00Z" })).toEqual([]);
  });

  it("can be cut to the times at which they moved, whenever they were recorded", async () => {
    const centsOf = await savingsWith();
    const from = (time: string) => ({ "effectiveAt[gte]": time });
    const before = (time: string) => ({ "effectiveAt[lt]": time });
    expect(await centsOf(before("2026-03-05T00:00:00Z"))).toEqual([2]);
    expect(
      await centsOf({ ...from("2026-03-08T00:00:00-05:00"), ...before("2026-03-09T00:00:00Z") }),
    ).toEqual([4, 3]);
    expect(await centsOf(from("2026-03-08T11:00:00.001Z"))).toEqual([3]);
    expect(
      await centsOf({ ...from("2026-03-08T11:00:00Z"), "createdAt[lt]": "2026-03-09T00:00:00Z" }),
    ).toEqual([3]);
    expect(await centsOf({ ...from("2026-03-04T12:00:00Z"), order: "Oldest", limit: 2 })).toEqual([1, 2]);
    expect(await centsOf({ ...from("2026-03-04T12:00:00Z"), status: "Pending" })).toEqual([]);
  });
});

describe("balances", () => {
  it("of a book that nobody has used are empty", async () => {
    expect(await tenant.balances()).toMatchObject({
      data: [],
      totals: [],
      reconciliation: {
        settlementCashCents: 0,
        subLedgerCents: 0,
        differenceCents: 0,
        status: "NotReconciled",
        now: { settlementCashCents: 0, subLedgerCents: 0, differenceCents: 0 },
        lastRun: null,
      },
    });
  });

  it("come from one snapshot, with totals over all pages and the money held for others", async () => {
    const payroll = (await tenant.creates("Payroll")).id;
    const savings = (await tenant.creates("Savings")).id;
    const [collected, paid] = [newId("po"), newId("po")];
    await tenant.writes(holdOf(collected, payroll, 10_000, { direction: "Debit" }), settlementOf(collected));
    await tenant.writes(
      postingOf([payroll, "Debit", 3_000], [savings, "Credit", 3_000]),
      holdOf(paid, savings, 500),
    );
    const page = await tenant.balances({ limit: 1 });
    expect(page.data).toEqual([
      {
        ledgerAccountId: savings,
        name: "Savings",
        currency: "USD",
        pendingBalanceCents: 500,
        postedBalanceCents: 3_000,
        availableBalanceCents: 2_500,
      },
    ]);
    expect(page.totals).toEqual([
      { currency: "USD", pendingBalanceCents: 500, postedBalanceCents: 10_000, availableBalanceCents: 9_500 },
    ]);
    const now = { settlementCashCents: 10_000, subLedgerCents: 10_000, differenceCents: 0 };
    expect(page.reconciliation).toEqual({
      ...now,
      status: "NotReconciled",
      bankDifferenceCents: null,
      asOf: page.asOf,
      now: { ...now, asOf: page.asOf },
      lastRun: null,
    });
    const rest = await tenant.balances({ limit: 5, cursor: page.nextCursor });
    expect(rest.data).toMatchObject([{ ledgerAccountId: payroll, availableBalanceCents: 7_000 }]);
    expect(rest.hasMore).toBe(false);
  });

  it("include only the tenant's own book", async () => {
    await tenant.creates("Payroll");
    expect((await new Tenant(units).balances()).data).toEqual([]);
    const rows = await units.database.sql("select 1 from book where book_id = $1", [uuidOf(tenant.book)]);
    expect(rows).toHaveLength(1);
  });
});
