import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import {
  account,
  cash,
  GivenBook,
  linesOf,
  payroll,
  savings,
  strict,
  suspense,
  wallet,
  dr,
  cr,
  held,
  posted,
  discharged,
} from "../../../test/ledger/given.ts";
import {
  holdOf,
  lateReturnOf,
  postingOf,
  releaseOf,
  reversalOf,
  settlementOf,
} from "../../../test/ledger/commands.ts";
import { zeroCounters } from "./account.ts";

// The life of an order in the ledger: given a book, when a command comes, then this is appended or refused.
let given: GivenBook;
const order = newId("po");
beforeEach(() => {
  given = new GivenBook();
});

describe("a hold", () => {
  it("of a Credit order debits the account and credits the bank, both Pending", () => {
    expect(given.linesAfter(holdOf(order, payroll, 4_000))).toEqual(
      held(dr(payroll, 4_000), cr(cash, 4_000)),
    );
    expect(given.balanceOf(payroll)).toEqual([0, 4_000, 0, -4_000]);
  });

  it("of a Debit order (a collection) does not raise available before it settles", () => {
    expect(given.linesAfter(holdOf(order, payroll, 4_000, { direction: "Debit" }))).toEqual(
      held(dr(cash, 4_000), cr(payroll, 4_000)),
    );
    expect(given.balanceOf(payroll)).toEqual([0, 0, 4_000, 0]);
    given.after(settlementOf(order));
    expect(given.balanceOf(payroll)).toEqual([4_000, 0, 0, 4_000]);
  });

  it("of a Usdc order has the wallet as its contra account", () => {
    expect(given.linesAfter(holdOf(order, payroll, 1, { contra: { kind: "StablecoinWallet" } }))).toEqual(
      held(dr(payroll, 1), cr(wallet, 1)),
    );
  });

  it("of a Book order has the counterparty's account as its contra, in both directions", () => {
    const contra = { kind: "LedgerAccount", ledgerAccountId: savings } as const;
    expect(given.linesAfter(holdOf(order, payroll, 5, { contra }))).toEqual(
      held(dr(payroll, 5), cr(savings, 5)),
    );
    expect(given.linesAfter(holdOf(newId("po"), payroll, 5, { contra, direction: "Debit" }))).toEqual(
      held(dr(savings, 5), cr(payroll, 5)),
    );
  });

  it("is refused if the account refuses overdraft and has too little available", () => {
    given.after(postingOf([payroll, "Debit", 100], [strict, "Credit", 100]));
    expect(given.codeAfter(holdOf(order, strict, 101))).toBe("insufficient_funds");
    expect(given.linesAfter(holdOf(newId("po"), strict, 100))).toHaveLength(2);
    expect(given.codeAfter(holdOf(newId("po"), strict, 1))).toBe("insufficient_funds");
  });

  it("does not count a collection that has not settled as funds", () => {
    given.after(holdOf(newId("po"), strict, 100, { direction: "Debit" }));
    expect(given.codeAfter(holdOf(order, strict, 1))).toBe("insufficient_funds");
  });

  it("is refused if the paying account would be overdrawn, also when that is the counterparty's", () => {
    const contra = { kind: "LedgerAccount", ledgerAccountId: strict } as const;
    expect(given.codeAfter(holdOf(order, payroll, 1, { contra, direction: "Debit" }))).toBe(
      "insufficient_funds",
    );
  });

  it("is refused for accounts that it can't use, each with its code", () => {
    given.has(account(savings, { closed: true }));
    const debitNormal = newId("la");
    given.has(account(debitNormal, { normalBalance: "Debit" }));
    const yen = newId("la");
    given.has(account(yen, { currency: "JPY" }));
    expect(given.codeAfter(holdOf(newId("po"), newId("la"), 1))).toBe("ledger_account_not_found");
    expect(given.codeAfter(holdOf(newId("po"), cash, 1))).toBe("system_account_not_postable");
    expect(given.codeAfter(holdOf(newId("po"), savings, 1))).toBe("ledger_account_closed");
    expect(given.codeAfter(holdOf(newId("po"), yen, 1))).toBe("currency_mismatch");
    expect(given.codeAfter(holdOf(newId("po"), debitNormal, 1))).toBe("invalid_field");
    const contra = { kind: "LedgerAccount", ledgerAccountId: payroll } as const;
    expect(given.codeAfter(holdOf(newId("po"), payroll, 1, { contra }))).toBe("same_account");
  });

  it("is refused if a balance would leave the safe integers, before or after settlement", () => {
    const nearlyAll = { ...zeroCounters, postedCredit: 9_007_199_254_740_990n };
    given.has(account(payroll, { counters: nearlyAll }));
    expect(given.codeAfter(holdOf(newId("po"), payroll, 2, { direction: "Debit" }))).toBe(
      "balance_out_of_range",
    );
    expect(given.linesAfter(holdOf(newId("po"), payroll, 1, { direction: "Debit" }))).toHaveLength(2);
  });

  it("opens a transaction once", () => {
    given.after(holdOf(order, payroll, 1));
    const other = { ...holdOf(order, payroll, 1), commandId: newId("po") };
    expect(given.codeAfter(other)).toBe("transaction_exists");
  });
});

describe("a settlement", () => {
  it("discharges the hold first and then posts its lines", () => {
    given.after(holdOf(order, payroll, 4_000));
    const settled = given.after(settlementOf(order));
    expect(linesOf(settled)).toEqual([
      ...discharged(cr(payroll, 4_000), dr(cash, 4_000)),
      ...posted(dr(payroll, 4_000), cr(cash, 4_000)),
    ]);
    expect(settled).toMatchObject({
      journal: { sequence: 2, resolves: 1, transactionId: `lt_${order.slice(3)}` },
    });
    expect(given.balanceOf(payroll)).toEqual([-4_000, 0, 0, -4_000]);
  });

  it("is booked even below zero, because the bank has moved the money", () => {
    given.after(postingOf([payroll, "Debit", 10], [strict, "Credit", 10]));
    given.after(holdOf(order, strict, 10));
    given.after(reversalOf({ transactionId: [...given.book.transactions.keys()][0]! }));
    given.after(settlementOf(order));
    expect(given.balanceOf(strict)).toEqual([-10, 0, 0, -10]);
  });

  it("credits Suspense if the account has been closed", () => {
    given.after(holdOf(order, payroll, 7, { direction: "Debit" }));
    given.closes(payroll);
    expect(given.linesAfter(settlementOf(order))).toEqual([
      ...discharged(cr(cash, 7), dr(payroll, 7)),
      ...posted(dr(cash, 7), cr(suspense, 7)),
    ]);
  });

  it("needs a hold that is still open", () => {
    expect(given.codeAfter(settlementOf(order))).toBe("hold_not_found");
    given.after(holdOf(order, payroll, 1));
    given.after(releaseOf(order));
    expect(given.codeAfter(settlementOf(order))).toBe("hold_not_open");
  });
});

describe("a release", () => {
  it("releases the hold line by line", () => {
    given.after(holdOf(order, payroll, 4_000));
    expect(given.linesAfter(releaseOf(order))).toEqual(discharged(cr(payroll, 4_000), dr(cash, 4_000)));
    expect(given.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
  });

  it("can't follow a settlement", () => {
    given.after(holdOf(order, payroll, 1));
    given.after(settlementOf(order));
    expect(given.codeAfter(releaseOf(order))).toBe("hold_not_open");
  });
});

describe("a late return", () => {
  it("offsets what the settlement posted and names it", () => {
    given.after(holdOf(order, payroll, 4_000));
    given.after(settlementOf(order));
    const returned = given.after(lateReturnOf(order));
    expect(linesOf(returned)).toEqual(posted(cr(payroll, 4_000), dr(cash, 4_000)));
    expect(returned).toMatchObject({ journal: { kind: "LateReturn", reverses: 2, resolves: null } });
    expect(given.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
  });

  it("credits Suspense if the account has been closed", () => {
    given.after(holdOf(order, payroll, 7));
    given.after(settlementOf(order));
    given.closes(payroll);
    expect(given.linesAfter(lateReturnOf(order))).toEqual(posted(cr(suspense, 7), dr(cash, 7)));
  });

  it("is booked once, and only after a settlement", () => {
    given.after(holdOf(order, payroll, 1));
    expect(given.codeAfter(lateReturnOf(order))).toBe("not_settled");
    given.after(settlementOf(order));
    given.after(lateReturnOf(order));
    expect(given.codeAfter({ ...lateReturnOf(order), commandId: newId("po") })).toBe("returned_already");
  });
});
