import { beforeEach, describe, expect, it } from "vitest";
import { cash, GivenBook, payroll, savings } from "../../../../test/ledger/given.ts";
import {
  pendingOf,
  postingOf,
  postPendingOf,
  reversalOf,
  voidPendingOf,
} from "../../../../test/ledger/commands.ts";
import type { Decision } from "../decide.ts";

// The dates and the basis of manual transactions. The book began on 2026-01-01; now is 2026-03-10, noon in UTC.
const now = "2026-03-10T12:00:00.000Z";
const ahead = "2026-03-10T12:04:00.000Z";
let given: GivenBook;
beforeEach(() => {
  given = new GivenBook();
});

const lines = [
  [payroll, "Debit", 5],
  [savings, "Credit", 5],
] as const;
const post = (effectiveAt: string | null) => ({ ...postingOf(...lines), effectiveAt });
const pending = (effectiveAt: string | null) => ({ ...pendingOf(...lines), effectiveAt });
const dateOf = (decision: Decision) => (decision.kind === "Append" ? decision.journal.effectiveAt : decision);

describe("the date of a manual transaction", () => {
  it("is now if the caller gives none, even in a closed period", () => {
    given.closesPeriod("2026-03-09T21:00:00.000Z");
    expect(dateOf(given.after(post(null)))).toBe(now);
    expect(dateOf(given.after(pending(null)))).toBe(now);
  });

  it("is just after a closed period that reaches ahead of now, if the caller gives none", () => {
    given.closesPeriod("2026-03-10T12:00:00.001Z");
    expect(dateOf(given.after(post(null)))).toBe("2026-03-10T12:00:00.002Z");
    expect(dateOf(given.after(pending(null)))).toBe("2026-03-10T12:00:00.002Z");
  });

  it("of a posted hold is accepted where the book's clock stands before its real beginning", () => {
    given.began("2026-03-10T12:00:00.300Z");
    const held = pending(null);
    given.after(held);
    expect(dateOf(given.after(postPendingOf(held)))).toBe(now);
    expect(dateOf(given.after(post(now)))).toBe(now);
  });

  it("is the caller's, within the book's time", () => {
    for (const date of ["2026-01-01T00:00:00.000Z", "2026-03-01T08:00:00.000Z", ahead]) {
      expect(dateOf(given.after(post(date)))).toBe(date);
    }
  });

  it.each([
    ["before the book began", "2025-12-31T23:59:59.999Z"],
    ["in a closed period", "2026-03-09T21:00:00.000Z"],
    ["in the future", "2026-03-10T12:05:00.001Z"],
  ])("is rejected %s, posted or pending", (_when, date) => {
    given.closesPeriod("2026-03-09T21:00:00.000Z");
    expect(given.codeAfter(post(date))).toBe("effective_date_invalid");
    expect(given.codeAfter(pending(date))).toBe("effective_date_invalid");
    expect(given.book.lastSequence).toBe(0);
  });

  it("of a posted hold is the hold's own, or a later one", () => {
    const [first, second] = [pending("2026-03-01T08:00:00.000Z"), pending("2026-03-01T08:00:00.000Z")];
    given.after(first);
    given.after(second);
    const early = { ...postPendingOf(first), effectiveAt: "2026-03-01T07:59:59.999Z" };
    expect(given.codeAfter(early)).toBe("effective_date_invalid");
    expect(dateOf(given.after(postPendingOf(first)))).toBe("2026-03-01T08:00:00.000Z");
    const later = { ...postPendingOf(second), effectiveAt: "2026-03-02T08:00:00.000Z" };
    expect(dateOf(given.after(later))).toBe("2026-03-02T08:00:00.000Z");
  });

  it("of a posted hold is rejected when its period has closed since", () => {
    const held = pending("2026-03-01T08:00:00.000Z");
    given.after(held);
    given.closesPeriod("2026-03-01T21:00:00.000Z");
    expect(given.codeAfter(postPendingOf(held))).toBe("effective_date_invalid");
    const later = { ...postPendingOf(held), effectiveAt: now };
    expect(dateOf(given.after(later))).toBe(now);
  });

  it("of a void or a reversal is now, but not before the movement that it undoes", () => {
    const [past, future] = [pending("2026-03-01T08:00:00.000Z"), pending(ahead)];
    for (const held of [past, future]) given.after(held);
    expect(dateOf(given.after(voidPendingOf(past)))).toBe(now);
    expect(dateOf(given.after(voidPendingOf(future)))).toBe(ahead);
    const [posted, settled] = [post(ahead), pending(null)];
    for (const opened of [posted, settled]) given.after(opened);
    given.after({ ...postPendingOf(settled), effectiveAt: ahead });
    expect(dateOf(given.after(reversalOf(posted)))).toBe(ahead);
    expect(dateOf(given.after(reversalOf(settled)))).toBe(ahead);
  });

  it.each([
    ["now, after a period that is closed", "2026-03-09T21:00:00.000Z", now],
    [
      "just after a closed period that reaches ahead of now",
      "2026-03-10T12:00:00.001Z",
      "2026-03-10T12:00:00.002Z",
    ],
  ])("of a void or a reversal is %s", (_when, closedThrough, date) => {
    const [held, posted] = [pending("2026-03-01T08:00:00.000Z"), post("2026-03-01T08:00:00.000Z")];
    for (const opened of [held, posted]) given.after(opened);
    given.closesPeriod(closedThrough);
    expect(dateOf(given.after(voidPendingOf(held)))).toBe(date);
    expect(dateOf(given.after(reversalOf(posted)))).toBe(date);
  });
});

describe("a basis that is not real", () => {
  it.each([
    ["Demo", "basis_is_demo_data"],
    ["Missing", "basis_missing_input"],
  ] as const)("(%s) may be held and voided, but not posted", (basis, code) => {
    expect(given.codeAfter({ ...post(null), basis })).toBe(code);
    const held = { ...pending(null), basis };
    expect(given.after(held).kind).toBe("Append");
    expect(given.codeAfter(postPendingOf(held))).toBe(code);
    expect(given.after(voidPendingOf(held)).kind).toBe("Append");
    expect(given.codeAfter(postPendingOf(held))).toBe("invalid_state_transition");
  });
});

it("rejects unbalanced lines first, then the basis, then the date, then the accounts", () => {
  const date = "2025-01-01T00:00:00.000Z";
  const off = postingOf([cash, "Debit", 5], [savings, "Credit", 4]);
  const even = () => postingOf([cash, "Debit", 5], [savings, "Credit", 5]);
  expect(given.codeAfter({ ...off, basis: "Demo", effectiveAt: date })).toBe("unbalanced_transaction");
  expect(given.codeAfter({ ...even(), basis: "Demo", effectiveAt: date })).toBe("basis_is_demo_data");
  expect(given.codeAfter({ ...even(), effectiveAt: date })).toBe("effective_date_invalid");
  expect(given.codeAfter(even())).toBe("system_account_not_postable");
});

it("rejects the basis of a posted hold first, then a date before the hold's, then a closed period", () => {
  const held = { ...pending("2026-03-01T08:00:00.000Z"), basis: "Demo" } as const;
  const real = pending("2026-03-01T08:00:00.000Z");
  for (const opened of [held, real]) given.after(opened);
  given.closesPeriod("2026-03-09T21:00:00.000Z");
  const before = "2026-02-01T00:00:00.000Z";
  expect(given.codeAfter({ ...postPendingOf(held), effectiveAt: before })).toBe("basis_is_demo_data");
  expect(given.after({ ...postPendingOf(real), effectiveAt: before })).toMatchObject({
    outcome: { detail: expect.stringContaining("The hold began at") },
  });
});
