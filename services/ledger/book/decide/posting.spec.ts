import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import {
  cash,
  GivenBook,
  linesOf,
  payroll,
  savings,
  strict,
  resultCode,
  dr,
  cr,
  posted,
} from "../../../../test/ledger/given.ts";
import { holdOf, postingOf, reversalOf, settlementOf } from "../../../../test/ledger/commands.ts";

// Manual postings, and repeated commands.
let given: GivenBook;
const order = newId("po");
beforeEach(() => {
  given = new GivenBook();
});

describe("a manual posting", () => {
  it("is appended with its lines as given, Posted", () => {
    expect(
      given.linesAfter(postingOf([payroll, "Debit", 5], [savings, "Credit", 3], [strict, "Credit", 2])),
    ).toEqual(posted(dr(payroll, 5), cr(savings, 3), cr(strict, 2)));
  });

  it("is refused when debits and credits differ, and nothing moves", () => {
    const decision = given.after(postingOf([payroll, "Debit", 5], [savings, "Credit", 4]));
    expect(decision).toMatchObject({
      kind: "Refuse",
      journal: null,
      outcome: {
        code: "unbalanced_transaction",
        detail: expect.stringContaining("differ by 1 cents of USD"),
      },
    });
    expect(given.book.lastSequence).toBe(0);
    expect(given.codeAfter(postingOf([payroll, "Debit", 5]))).toBe("unbalanced_transaction");
  });

  it("touches the tenant's own accounts only", () => {
    expect(given.codeAfter(postingOf([cash, "Debit", 5], [payroll, "Credit", 5]))).toBe(
      "system_account_not_postable",
    );
    expect(given.codeAfter(postingOf([newId("la"), "Debit", 5], [payroll, "Credit", 5]))).toBe(
      "ledger_account_not_found",
    );
  });

  it("is checked for overdraft after its last line, not between lines", () => {
    const inAndOut = postingOf([strict, "Debit", 5], [strict, "Credit", 5]);
    expect(given.linesAfter(inAndOut)).toHaveLength(2);
    expect(given.codeAfter(postingOf([strict, "Debit", 5], [payroll, "Credit", 5]))).toBe(
      "insufficient_funds",
    );
  });

  it("may raise an account that is already below zero", () => {
    given.after(postingOf([payroll, "Debit", 10], [strict, "Credit", 10]));
    given.after(holdOf(order, strict, 10));
    given.after(reversalOf({ transactionId: [...given.book.transactions.keys()][0]! }));
    expect(given.balanceOf(strict)).toEqual([0, 10, 0, -10]);
    expect(given.linesAfter(postingOf([payroll, "Debit", 4], [strict, "Credit", 4]))).toHaveLength(2);
    expect(given.codeAfter(postingOf([strict, "Debit", 1], [payroll, "Credit", 1]))).toBe(
      "insufficient_funds",
    );
  });
});

describe("a reversal", () => {
  it("appends the opposite of a manual posting", () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    given.after(posting);
    const reversed = given.after(reversalOf(posting));
    expect(linesOf(reversed)).toEqual(posted(cr(payroll, 5), dr(savings, 5)));
    expect(reversed).toMatchObject({ journal: { kind: "Reverse", reverses: 1 } });
  });

  it("is refused the second time, for what was never posted, and for what an order owns", () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    given.after(posting);
    given.after(reversalOf(posting));
    given.after(holdOf(order, payroll, 1));
    expect(given.codeAfter(reversalOf(posting))).toBe("already_reversed");
    expect(given.codeAfter(reversalOf({ transactionId: newId("lt") }))).toBe("not_found");
    expect(given.codeAfter(reversalOf({ transactionId: `lt_${order.slice(3)}` }))).toBe("transaction_owned");
  });

  it("is refused on an account that has been closed since", () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    given.after(posting);
    given.closes(savings);
    expect(given.codeAfter(reversalOf(posting))).toBe("ledger_account_closed");
  });
});

describe("a repeated command", () => {
  it("gets its stored outcome, appended or refused, and changes nothing", () => {
    const done = given.after(holdOf(order, payroll, 1));
    const refused = given.after(postingOf([payroll, "Debit", 1]));
    const again = given.after(holdOf(order, payroll, 1));
    expect(again).toEqual({ kind: "Repeat", outcome: done.kind === "Append" && done.outcome });
    expect(resultCode(refused)).toBe("unbalanced_transaction");
    expect(given.book.lastSequence).toBe(1);
  });

  it("stays refused after the reason is gone", () => {
    const command = holdOf(order, strict, 1);
    expect(given.codeAfter(command)).toBe("insufficient_funds");
    given.after(postingOf([payroll, "Debit", 1], [strict, "Credit", 1]));
    expect(given.after(command)).toMatchObject({ kind: "Repeat", outcome: { code: "insufficient_funds" } });
  });

  it("may have another date, but must otherwise be the same request", () => {
    given.after(holdOf(order, payroll, 1));
    const later = { ...holdOf(order, payroll, 1), effectiveAt: "2026-03-03T15:00:00.000Z" };
    expect(given.after(later).kind).toBe("Repeat");
    expect(given.codeAfter(holdOf(order, payroll, 2))).toBe("command_conflict");
    expect(given.codeAfter(holdOf(order, payroll, 1, { direction: "Debit" }))).toBe("command_conflict");
  });
});

it("numbers journals without a gap and an account's entries one by one, with the counters after each", () => {
  given.after(holdOf(order, payroll, 4));
  given.after(postingOf([payroll, "Debit", 1]));
  const settled = given.after(settlementOf(order));
  if (settled.kind !== "Append") throw new Error("it settles");
  expect(settled.journal.sequence).toBe(2);
  expect(settled.journal.entries.map(({ line, version }) => [line, version])).toEqual([
    [1, 2],
    [2, 2],
    [3, 3],
    [4, 3],
  ]);
  expect(settled.journal.entries[2]!.totals).toEqual({
    heldDebit: 4n,
    heldCredit: 0n,
    releasedDebit: 4n,
    releasedCredit: 0n,
    postedDebit: 4n,
    postedCredit: 0n,
  });
});
