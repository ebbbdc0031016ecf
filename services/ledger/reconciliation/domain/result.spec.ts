import { describe, expect, it } from "vitest";
import type { OpenItem } from "./matching.ts";
import { resultOf } from "./result.ts";

const sides = { openingCents: 100n, closingCents: 150n, previousClosingCents: 100n, ledgerCashCents: 150n };
const item = (more: Partial<OpenItem>): OpenItem => ({
  source: "BankLine",
  number: 1,
  line: 1,
  account: "SettlementCash",
  side: "In",
  amountCents: 50n,
  matchKey: "ref 1",
  reference: "1",
  orderId: null,
  transactionId: null,
  kind: "Inbound",
  occurredAt: new Date(0),
  recordedAt: null,
  firstSeen: "2026-03-02",
  inTransit: false,
  reason: "NoLedgerEntry",
  ...more,
});

describe("a result", () => {
  it("is Reconciled with difference 0 and nothing unmatched", () => {
    expect(resultOf(sides, [])).toEqual({
      status: "Reconciled",
      reasons: [],
      inTransitCents: 0n,
      differenceCents: 0n,
    });
  });

  it("excludes items in transit from the difference", () => {
    const early = item({ inTransit: true, reason: "NotYetBooked" });
    expect(resultOf({ ...sides, ledgerCashCents: 100n }, [early])).toMatchObject({
      status: "Reconciled",
      inTransitCents: 50n,
      differenceCents: 0n,
    });
    const late = item({ source: "LedgerEntry", inTransit: true, reason: "NotYetAtBank" });
    expect(resultOf({ ...sides, ledgerCashCents: 200n }, [late])).toMatchObject({
      status: "Reconciled",
      inTransitCents: -50n,
    });
  });

  it("is Broken with unmatched items, even if they cancel each other out", () => {
    const both = [item({}), item({ source: "LedgerEntry", reason: "NoBankLine" })];
    expect(resultOf(sides, both)).toMatchObject({
      status: "Broken",
      reasons: ["UnmatchedBankLines", "UnmatchedLedgerEntries"],
      differenceCents: 0n,
    });
  });

  it("reports an opening balance that is not the previous closing balance", () => {
    const opensHigher = { ...sides, openingCents: 130n, closingCents: 180n };
    expect(resultOf(opensHigher, [])).toMatchObject({
      status: "Broken",
      reasons: ["OpeningDiffersFromPreviousClosing"],
      differenceCents: 30n,
    });
  });

  it("accepts only zero as the opening balance of a book's first statement", () => {
    const first = { ...sides, previousClosingCents: null };
    expect(resultOf({ ...first, openingCents: 0n }, [])).toMatchObject({ status: "Reconciled" });
    expect(resultOf(first, [])).toMatchObject({ reasons: ["OpeningDiffersFromPreviousClosing"] });
  });

  it("reports totals that no item explains", () => {
    expect(resultOf({ ...sides, ledgerCashCents: 149n }, [])).toMatchObject({
      status: "Broken",
      reasons: ["TotalsDiffer"],
      differenceCents: 1n,
    });
  });
});
