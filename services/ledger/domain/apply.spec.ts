import { beforeEach, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId } from "../../../contracts/ids.ts";
import {
  holdOf,
  lateReturnOf,
  postingOf,
  releaseOf,
  reversalOf,
  sampleBook,
  settlementOf,
} from "../sample-commands.ts";
import { type Account, balancesOf, zeroCounters } from "./account.ts";
import { apply, type Decision } from "./apply.ts";
import { advance, type WorkingBook } from "./book.ts";
import { chartAccountId, chartCurrency, chartOfAccounts } from "./chart-of-accounts.ts";
import type { LedgerCommand } from "./command.ts";

// Given a book, when a command comes, then this is appended, or this is why not.

const cash = chartAccountId(sampleBook, "SettlementCash");
const wallet = chartAccountId(sampleBook, "StablecoinWallet");
const suspense = chartAccountId(sampleBook, "Suspense");
const payroll = newId("la");
const savings = newId("la");
const strict = newId("la");
const order = newId("po");

let book: WorkingBook;

function account(id: LedgerAccountId, more: Partial<Account> = {}): Account {
  return {
    id,
    name: "Payroll",
    currency: "USD",
    normalBalance: "Credit",
    class: "Tenant",
    overdraft: "Allowed",
    closed: false,
    version: 0,
    counters: zeroCounters,
    ...more,
  };
}

beforeEach(() => {
  const chart = chartOfAccounts.map((made) =>
    account(chartAccountId(sampleBook, made.class), { ...made, currency: chartCurrency }),
  );
  const own = [
    account(payroll),
    account(savings, { name: "Savings" }),
    account(strict, { name: "Strict", overdraft: "Refused" }),
  ];
  book = {
    id: sampleBook,
    lastSequence: 0,
    accounts: new Map([...chart, ...own].map((made) => [made.id, made])),
    transactions: new Map(),
    outcomes: new Map(),
  };
});

/** Applies and moves the book on. */
function given(command: LedgerCommand): Decision {
  const decision = apply(book, command);
  if (decision.kind === "Append" || decision.kind === "Refuse") advance(book, command.commandId, decision);
  return decision;
}

const linesOf = (decision: Decision) =>
  decision.kind === "Append"
    ? decision.journal.entries.map((e) => [e.layer, e.role, e.direction, e.accountId, Number(e.amountCents)])
    : decision;
const balanceOf = (id: LedgerAccountId) => {
  const { normalBalance, counters } = book.accounts.get(id)!;
  const { pending, pendingInbound, posted, available } = balancesOf(normalBalance, counters);
  return [posted, pending, pendingInbound, available].map(Number);
};
const refusal = (decision: Decision) =>
  decision.kind === "Refuse" && decision.outcome.result === "Refused" ? decision.outcome.code : decision.kind;
const impossibility = (decision: Decision) =>
  decision.kind === "Impossible" ? decision.code : decision.kind;

describe("a hold", () => {
  it("of a Credit order debits the account and credits the bank, both Pending", () => {
    expect(linesOf(given(holdOf(order, payroll, 4_000)))).toEqual([
      ["Pending", "Normal", "Debit", payroll, 4_000],
      ["Pending", "Normal", "Credit", cash, 4_000],
    ]);
    expect(balanceOf(payroll)).toEqual([0, 4_000, 0, -4_000]);
  });

  it("of a Debit order (a collection) does not raise available before it settles", () => {
    expect(linesOf(given(holdOf(order, payroll, 4_000, { direction: "Debit" })))).toEqual([
      ["Pending", "Normal", "Debit", cash, 4_000],
      ["Pending", "Normal", "Credit", payroll, 4_000],
    ]);
    expect(balanceOf(payroll)).toEqual([0, 0, 4_000, 0]);
    given(settlementOf(order));
    expect(balanceOf(payroll)).toEqual([4_000, 0, 0, 4_000]);
  });

  it("of a Usdc order stands against the wallet", () => {
    expect(linesOf(given(holdOf(order, payroll, 1, { contra: { kind: "StablecoinWallet" } })))).toEqual([
      ["Pending", "Normal", "Debit", payroll, 1],
      ["Pending", "Normal", "Credit", wallet, 1],
    ]);
  });

  it("of a Book order stands against the counterparty's account, and pays either way", () => {
    const contra = { kind: "LedgerAccount", ledgerAccountId: savings } as const;
    expect(linesOf(given(holdOf(order, payroll, 5, { contra })))).toEqual([
      ["Pending", "Normal", "Debit", payroll, 5],
      ["Pending", "Normal", "Credit", savings, 5],
    ]);
    expect(linesOf(given(holdOf(newId("po"), payroll, 5, { contra, direction: "Debit" })))).toEqual([
      ["Pending", "Normal", "Debit", savings, 5],
      ["Pending", "Normal", "Credit", payroll, 5],
    ]);
  });

  it("is refused where the account refuses overdraft and can't cover it", () => {
    given(postingOf([payroll, "Debit", 100], [strict, "Credit", 100]));
    expect(refusal(given(holdOf(order, strict, 101)))).toBe("insufficient_funds");
    expect(linesOf(given(holdOf(newId("po"), strict, 100)))).toHaveLength(2);
    expect(refusal(given(holdOf(newId("po"), strict, 1)))).toBe("insufficient_funds");
  });

  it("does not count a collection that has not settled as funds", () => {
    given(holdOf(newId("po"), strict, 100, { direction: "Debit" }));
    expect(refusal(given(holdOf(order, strict, 1)))).toBe("insufficient_funds");
  });

  it("takes the floor of the account that pays, also when that is the counterparty's", () => {
    const contra = { kind: "LedgerAccount", ledgerAccountId: strict } as const;
    expect(refusal(given(holdOf(order, payroll, 1, { contra, direction: "Debit" })))).toBe(
      "insufficient_funds",
    );
  });

  it("is refused by name for accounts that it can't use", () => {
    book.accounts.set(savings, account(savings, { closed: true }));
    const debitNormal = newId("la");
    book.accounts.set(debitNormal, account(debitNormal, { normalBalance: "Debit" }));
    const yen = newId("la");
    book.accounts.set(yen, account(yen, { currency: "JPY" }));
    expect(refusal(given(holdOf(newId("po"), newId("la"), 1)))).toBe("ledger_account_not_found");
    expect(refusal(given(holdOf(newId("po"), cash, 1)))).toBe("system_account_not_postable");
    expect(refusal(given(holdOf(newId("po"), savings, 1)))).toBe("ledger_account_closed");
    expect(refusal(given(holdOf(newId("po"), yen, 1)))).toBe("currency_mismatch");
    expect(refusal(given(holdOf(newId("po"), debitNormal, 1)))).toBe("invalid_field");
    const contra = { kind: "LedgerAccount", ledgerAccountId: payroll } as const;
    expect(refusal(given(holdOf(newId("po"), payroll, 1, { contra })))).toBe("same_account");
  });

  it("is refused where a balance would leave the safe integers, before or after settlement", () => {
    const nearlyAll = { ...zeroCounters, postedCredit: 9_007_199_254_740_990n };
    book.accounts.set(payroll, account(payroll, { counters: nearlyAll }));
    expect(refusal(given(holdOf(newId("po"), payroll, 2, { direction: "Debit" })))).toBe(
      "balance_out_of_range",
    );
    expect(linesOf(given(holdOf(newId("po"), payroll, 1, { direction: "Debit" })))).toHaveLength(2);
  });

  it("opens a transaction once", () => {
    given(holdOf(order, payroll, 1));
    const other = { ...holdOf(order, payroll, 1), commandId: newId("po") };
    expect(impossibility(given(other))).toBe("transaction_exists");
  });
});

describe("a settlement", () => {
  it("discharges the hold first and then posts its lines", () => {
    given(holdOf(order, payroll, 4_000));
    const settled = given(settlementOf(order));
    expect(linesOf(settled)).toEqual([
      ["Pending", "Discharge", "Credit", payroll, 4_000],
      ["Pending", "Discharge", "Debit", cash, 4_000],
      ["Posted", "Normal", "Debit", payroll, 4_000],
      ["Posted", "Normal", "Credit", cash, 4_000],
    ]);
    expect(settled).toMatchObject({
      journal: { sequence: 2, resolves: 1, transactionId: `lt_${order.slice(3)}` },
    });
    expect(balanceOf(payroll)).toEqual([-4_000, 0, 0, -4_000]);
  });

  it("is booked below zero too: the bank has moved the money", () => {
    given(postingOf([payroll, "Debit", 10], [strict, "Credit", 10]));
    given(holdOf(order, strict, 10));
    given(reversalOf({ transactionId: [...book.transactions.keys()][0]! }));
    given(settlementOf(order));
    expect(balanceOf(strict)).toEqual([-10, 0, 0, -10]);
  });

  it("lands in Suspense what a closed account was to get", () => {
    given(holdOf(order, payroll, 7, { direction: "Debit" }));
    book.accounts.set(payroll, { ...book.accounts.get(payroll)!, closed: true });
    expect(linesOf(given(settlementOf(order)))).toEqual([
      ["Pending", "Discharge", "Credit", cash, 7],
      ["Pending", "Discharge", "Debit", payroll, 7],
      ["Posted", "Normal", "Debit", cash, 7],
      ["Posted", "Normal", "Credit", suspense, 7],
    ]);
  });

  it("needs a hold that is still open", () => {
    expect(impossibility(given(settlementOf(order)))).toBe("hold_not_found");
    given(holdOf(order, payroll, 1));
    given(releaseOf(order));
    expect(impossibility(given(settlementOf(order)))).toBe("hold_not_open");
  });
});

describe("a release", () => {
  it("gives the hold back, line for line", () => {
    given(holdOf(order, payroll, 4_000));
    expect(linesOf(given(releaseOf(order)))).toEqual([
      ["Pending", "Discharge", "Credit", payroll, 4_000],
      ["Pending", "Discharge", "Debit", cash, 4_000],
    ]);
    expect(balanceOf(payroll)).toEqual([0, 0, 0, 0]);
  });

  it("can't follow a settlement", () => {
    given(holdOf(order, payroll, 1));
    given(settlementOf(order));
    expect(impossibility(given(releaseOf(order)))).toBe("hold_not_open");
  });
});

describe("a late return", () => {
  it("offsets what the settlement posted and names it", () => {
    given(holdOf(order, payroll, 4_000));
    given(settlementOf(order));
    const returned = given(lateReturnOf(order));
    expect(linesOf(returned)).toEqual([
      ["Posted", "Normal", "Credit", payroll, 4_000],
      ["Posted", "Normal", "Debit", cash, 4_000],
    ]);
    expect(returned).toMatchObject({ journal: { kind: "LateReturn", reverses: 2, resolves: null } });
    expect(balanceOf(payroll)).toEqual([0, 0, 0, 0]);
  });

  it("lands in Suspense when the account is closed by then", () => {
    given(holdOf(order, payroll, 7));
    given(settlementOf(order));
    book.accounts.set(payroll, { ...book.accounts.get(payroll)!, closed: true });
    expect(linesOf(given(lateReturnOf(order)))).toEqual([
      ["Posted", "Normal", "Credit", suspense, 7],
      ["Posted", "Normal", "Debit", cash, 7],
    ]);
  });

  it("comes once, and only after a settlement", () => {
    given(holdOf(order, payroll, 1));
    expect(impossibility(given(lateReturnOf(order)))).toBe("not_settled");
    given(settlementOf(order));
    given(lateReturnOf(order));
    expect(impossibility(given({ ...lateReturnOf(order), commandId: newId("po") }))).toBe("returned_already");
  });
});

describe("a manual posting", () => {
  it("is appended as it came, Posted", () => {
    expect(
      linesOf(given(postingOf([payroll, "Debit", 5], [savings, "Credit", 3], [strict, "Credit", 2]))),
    ).toEqual([
      ["Posted", "Normal", "Debit", payroll, 5],
      ["Posted", "Normal", "Credit", savings, 3],
      ["Posted", "Normal", "Credit", strict, 2],
    ]);
  });

  it("is refused when debits and credits differ, and nothing moves", () => {
    const decision = given(postingOf([payroll, "Debit", 5], [savings, "Credit", 4]));
    expect(decision).toMatchObject({
      kind: "Refuse",
      journal: null,
      outcome: {
        code: "unbalanced_transaction",
        detail: expect.stringContaining("differ by 1 cents of USD"),
      },
    });
    expect(book.lastSequence).toBe(0);
    expect(refusal(given(postingOf([payroll, "Debit", 5])))).toBe("unbalanced_transaction");
  });

  it("touches the tenant's own accounts only", () => {
    expect(refusal(given(postingOf([cash, "Debit", 5], [payroll, "Credit", 5])))).toBe(
      "system_account_not_postable",
    );
    expect(refusal(given(postingOf([newId("la"), "Debit", 5], [payroll, "Credit", 5])))).toBe(
      "ledger_account_not_found",
    );
  });

  it("meets floors after its last line, not between lines", () => {
    const inAndOut = postingOf([strict, "Debit", 5], [strict, "Credit", 5]);
    expect(linesOf(given(inAndOut))).toHaveLength(2);
    expect(refusal(given(postingOf([strict, "Debit", 5], [payroll, "Credit", 5])))).toBe(
      "insufficient_funds",
    );
  });

  it("may raise an account that is below its floor already", () => {
    given(postingOf([payroll, "Debit", 10], [strict, "Credit", 10]));
    given(holdOf(order, strict, 10));
    given(reversalOf({ transactionId: [...book.transactions.keys()][0]! }));
    expect(balanceOf(strict)).toEqual([0, 10, 0, -10]);
    expect(linesOf(given(postingOf([payroll, "Debit", 4], [strict, "Credit", 4])))).toHaveLength(2);
    expect(refusal(given(postingOf([strict, "Debit", 1], [payroll, "Credit", 1])))).toBe(
      "insufficient_funds",
    );
  });
});

describe("a reversal", () => {
  it("appends the opposite of a manual posting", () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    given(posting);
    const reversed = given(reversalOf(posting));
    expect(linesOf(reversed)).toEqual([
      ["Posted", "Normal", "Credit", payroll, 5],
      ["Posted", "Normal", "Debit", savings, 5],
    ]);
    expect(reversed).toMatchObject({ journal: { kind: "Reverse", reverses: 1 } });
  });

  it("is refused the second time, for what was never posted, and for what an order owns", () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    given(posting);
    given(reversalOf(posting));
    given(holdOf(order, payroll, 1));
    expect(refusal(given(reversalOf(posting)))).toBe("already_reversed");
    expect(refusal(given(reversalOf({ transactionId: newId("lt") })))).toBe("not_found");
    expect(refusal(given(reversalOf({ transactionId: `lt_${order.slice(3)}` })))).toBe("transaction_owned");
  });

  it("is refused on an account that was closed meanwhile", () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    given(posting);
    book.accounts.set(savings, { ...book.accounts.get(savings)!, closed: true });
    expect(refusal(given(reversalOf(posting)))).toBe("ledger_account_closed");
  });
});

describe("a command that comes again", () => {
  it("is answered with its stored outcome, done or refused, and changes nothing", () => {
    const done = given(holdOf(order, payroll, 1));
    const refused = given(postingOf([payroll, "Debit", 1]));
    const again = given(holdOf(order, payroll, 1));
    expect(again).toEqual({ kind: "Repeat", outcome: done.kind === "Append" && done.outcome });
    expect(refusal(refused)).toBe("unbalanced_transaction");
    expect(book.lastSequence).toBe(1);
  });

  it("stays refused when its reason has gone", () => {
    const command = holdOf(order, strict, 1);
    expect(refusal(given(command))).toBe("insufficient_funds");
    given(postingOf([payroll, "Debit", 1], [strict, "Credit", 1]));
    expect(given(command)).toMatchObject({ kind: "Repeat", outcome: { code: "insufficient_funds" } });
  });

  it("may be dated anew, but asks for the same otherwise", () => {
    given(holdOf(order, payroll, 1));
    const later = { ...holdOf(order, payroll, 1), effectiveAt: "2026-03-03T15:00:00.000Z" };
    expect(given(later).kind).toBe("Repeat");
    expect(impossibility(given(holdOf(order, payroll, 2)))).toBe("command_conflict");
    expect(impossibility(given(holdOf(order, payroll, 1, { direction: "Debit" })))).toBe("command_conflict");
  });
});

it("numbers journals without a gap and an account's entries one by one, with the counters after each", () => {
  given(holdOf(order, payroll, 4));
  given(postingOf([payroll, "Debit", 1]));
  const settled = given(settlementOf(order));
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
