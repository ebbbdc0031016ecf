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
