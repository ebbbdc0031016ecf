import { describe, expect, it } from "vitest";
import { bookIdOf, newId, newUuid } from "../../../../contracts/ids/ids.ts";
import { type DigestedJournal, digestOf } from "../../book/canonical.ts";
import { chartAccountId } from "../../book/chart-of-accounts.ts";
import type { JournalKind, Line } from "../../book/journal.ts";
import { emptyChain, HashChainVerifier, type Origin } from "./hash-chain.ts";

const book = bookIdOf(newId("ten"), "Test");
const transactionId = newId("lt");
const order = newId("po");
const [payroll, cash] = [newId("la"), chartAccountId(book, "SettlementCash")];
const suspense = chartAccountId(book, "Suspense");

type Way = "payroll to cash" | "cash to payroll";
const lines = (way: Way, layer: Line["layer"], role: Line["role"] = "Normal", tenants = payroll): Line[] => {
  const line = { currency: "USD", layer, role, amountCents: 100n };
  const direction = (account: "payroll" | "cash") => (way.startsWith(account) ? "Debit" : "Credit");
  return [
    { ...line, accountId: tenants, direction: direction("payroll") },
    { ...line, accountId: cash, direction: direction("cash") },
  ];
};
const held = lines("payroll to cash", "Pending");
const posted = lines("payroll to cash", "Posted");
const discharged = lines("cash to payroll", "Pending", "Discharge");
const offset = lines("cash to payroll", "Posted");
const settled = [...discharged, ...posted];

/** What the verifier finds in a journal that comes after `origin`, both of the order, or of none if it is null. */
function found(
  kind: JournalKind,
  after: [JournalKind, readonly Line[]],
  entries: readonly Line[],
  orderId: typeof order | null,
): string {
  const resolves = kind === "Settle" || kind === "Release";
  const journal: DigestedJournal = {
    book,
    sequence: 1,
    kind,
    transactionId,
    orderId,
    commandId: newUuid(),
    resolves: resolves ? 7 : null,
    reverses: resolves ? null : 7,
    effectiveAt: "2026-03-02T15:00:00.000Z",
    detailsDigest: null,
    entries: entries.map((line, index) => ({ ...line, line: index + 1 })),
  };
  const origin: Origin = { kind: after[0], transactionId, orderId, lines: after[1] };
  const digested = { digestVersion: 2, recordedAt: "2026-03-02T15:00:00.000000Z" } as const;
  const recorded = { ...digested, digest: digestOf(journal, digested) };
  return new HashChainVerifier(emptyChain("00")).step(journal, recorded, origin)?.check ?? "sound";
}
const wrong = "resolutions and reversals are exact";

describe("a journal that continues a transaction", () => {
  it("of an order settles or releases its hold, and returns its settlement", () => {
    expect([
      found("Settle", ["Hold", held], settled, order),
      found("Release", ["Hold", held], discharged, order),
      found("LateReturn", ["Settle", settled], offset, order),
    ]).toEqual(["sound", "sound", "sound"]);
  });

  it("of no order settles or releases its hold, and reverses a settlement or posting", () => {
    expect([
      found("Settle", ["Hold", held], settled, null),
      found("Release", ["Hold", held], discharged, null),
      found("Reverse", ["Settle", settled], offset, null),
      found("Reverse", ["Post", posted], offset, null),
    ]).toEqual(["sound", "sound", "sound", "sound"]);
  });

  it("never reverses what belongs to an order: an order's settlement comes back by LateReturn alone", () => {
    expect(found("Reverse", ["Settle", settled], offset, order)).toBe(wrong);
    expect(found("Reverse", ["Post", posted], offset, order)).toBe(wrong);
    expect(found("LateReturn", ["Settle", settled], offset, null)).toBe(wrong);
  });

  it("follows no journal of another kind", () => {
    expect([
      found("Settle", ["Post", posted], settled, order),
      found("Release", ["Settle", settled], discharged, order),
      found("LateReturn", ["Post", posted], offset, order),
      found("Reverse", ["Inbound", posted], offset, null),
      found("Reverse", ["Reverse", posted], offset, null),
    ]).toEqual([wrong, wrong, wrong, wrong, wrong]);
  });

  it("may post to Suspense where its account is closed, unless it is a reversal, which nobody forces", () => {
    const intoSuspense = lines("cash to payroll", "Posted", "Normal", suspense);
    expect(found("LateReturn", ["Settle", settled], intoSuspense, order)).toBe("sound");
    expect(found("Reverse", ["Settle", settled], intoSuspense, null)).toBe(wrong);
  });
});
