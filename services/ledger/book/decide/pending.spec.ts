import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import {
  account,
  GivenBook,
  linesOf,
  payroll,
  savings,
  strict,
  dr,
  cr,
  held,
  discharged,
  posted,
} from "../../../../test/ledger/given.ts";
import {
  holdOf,
  pendingOf,
  postingOf,
  postPendingOf,
  reversalOf,
  voidPendingOf,
} from "../../../../test/ledger/commands.ts";

// A manual transaction in two phases: held like an order's money, then posted or voided.
let given: GivenBook;
beforeEach(() => {
  given = new GivenBook();
});
const pending = () => pendingOf([payroll, "Debit", 5], [savings, "Credit", 3], [strict, "Credit", 2]);

describe("a pending transaction", () => {
  it("holds its lines, and moves nothing", () => {
    expect(given.linesAfter(pending())).toEqual(held(dr(payroll, 5), cr(savings, 3), cr(strict, 2)));
    expect(given.balanceOf(payroll)).toEqual([0, 5, 0, -5]);
    expect(given.balanceOf(savings)).toEqual([0, 0, 3, 0]);
  });

  it("is posted: its hold is discharged, then its lines are posted", () => {
    const opened = pending();
    given.after(opened);
    const settled = given.after(postPendingOf(opened));
    expect(linesOf(settled)).toEqual([
      ...discharged(cr(payroll, 5), dr(savings, 3), dr(strict, 2)),
      ...posted(dr(payroll, 5), cr(savings, 3), cr(strict, 2)),
    ]);
    expect(settled).toMatchObject({ journal: { kind: "Settle", resolves: 1, orderId: null } });
    expect(given.balanceOf(payroll)).toEqual([-5, 0, 0, -5]);
  });

  it("is voided: its hold is discharged, and nothing is posted", () => {
    const opened = pending();
    given.after(opened);
    const voided = given.after(voidPendingOf(opened));
    expect(voided).toMatchObject({ journal: { kind: "Release", resolves: 1 } });
    expect(given.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    expect(given.balanceOf(strict)).toEqual([0, 0, 0, 0]);
  });

  it("is posted or voided only once", () => {
    for (const first of [postPendingOf, voidPendingOf]) {
      const opened = pending();
      given.after(opened);
      given.after(first(opened));
      for (const second of [postPendingOf, voidPendingOf]) {
        expect(given.codeAfter(second(opened))).toBe("invalid_state_transition");
      }
    }
  });

  it("is reversed only once it is posted, by the opposite of what was posted", () => {
    const opened = pending();
    given.after(opened);
    expect(given.codeAfter(reversalOf(opened))).toBe("invalid_state_transition");
    given.after(postPendingOf(opened));
    const reversed = given.after(reversalOf(opened));
    expect(linesOf(reversed)).toEqual(posted(cr(payroll, 5), dr(savings, 3), dr(strict, 2)));
    expect(reversed).toMatchObject({ journal: { kind: "Reverse", reverses: 2 } });
    expect(given.codeAfter(reversalOf(opened))).toBe("already_reversed");

    const given2 = pending();
    given.after(given2);
    given.after(voidPendingOf(given2));
    expect(given.codeAfter(reversalOf(given2))).toBe("invalid_state_transition");
  });

  it("holds at most the available balance of an account that refuses overdraft, on either normal side", () => {
    const tools = newId("la");
    given.has(account(tools, { name: "Tools", normalBalance: "Debit", overdraft: "Refused" }));
    given.after(postingOf([tools, "Debit", 10], [strict, "Credit", 10]));
    for (const [id, side, other] of [
      [strict, "Debit", "Credit"],
      [tools, "Credit", "Debit"],
    ] as const) {
      const take = (cents: number) => pendingOf([id, side, cents], [payroll, other, cents]);
      given.after(take(6));
      expect(given.codeAfter(take(5))).toBe("insufficient_funds");
      expect(given.after(take(4)).kind).toBe("Append");
      expect(given.balanceOf(id)).toEqual([10, 10, 0, 0]);
    }
  });

  it("is not an order's: neither can end the other's hold", () => {
    const order = newId("po");
    given.after(holdOf(order, payroll, 5));
    const ofTheOrder = { transactionId: `lt_${order.slice(3)}` } as const;
    expect(given.codeAfter(postPendingOf(ofTheOrder))).toBe("transaction_owned");
    expect(given.codeAfter(voidPendingOf(ofTheOrder))).toBe("transaction_owned");
    expect(given.codeAfter(voidPendingOf({ transactionId: newId("lt") }))).toBe("not_found");
  });

  it("gets the same outcome on every repeat, and another request under its command id is a conflict", () => {
    const opened = pending();
    const first = given.after(opened);
    expect(given.after(opened)).toEqual({ kind: "Repeat", outcome: (first as { outcome: unknown }).outcome });
    const other = { ...postPendingOf(opened), commandId: opened.commandId };
    expect(given.codeAfter(other)).toBe("command_conflict");
  });
});
