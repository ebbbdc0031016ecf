import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, newId, newUuid, type PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import {
  account,
  cash,
  GivenBook,
  linesOf,
  payroll,
  strict,
  wallet,
  resultCode,
  dr,
  cr,
  held,
  posted,
} from "../../../../test/ledger/given.ts";
import {
  holdOf,
  lateReturnOf,
  releaseOf,
  sampleBook,
  sampleTenant,
  settlementOf,
} from "../../../../test/ledger/commands.ts";
import type { Decision } from "../decide.ts";
import { chartAccountId } from "../chart-of-accounts.ts";
import type { AccrueCommand, LedgerCommand } from "../commands.ts";
import { type Obligation, type ObligationLine, liabilityOf, type Remittance } from "../obligation.ts";
import { transitionFor, type ObligationTransition } from "../obligation-history.ts";

// Given a book and an obligation, when a command comes, then these lines are appended and the obligation changes so.
const id = newId("ob");
const liability = liabilityOf(id);
const expense = chartAccountId(sampleBook, "FuelTaxExpense");
const order = newId("po");
let given: GivenBook;

beforeEach(() => {
  given = new GivenBook();
  given.has(account(liability, { name: "IFTA liability", class: "ObligationLiability" }));
  owes({});
});

function owes(change: Partial<Obligation>): void {
  given.book.obligations.set(id, {
    id,
    book: bookIdOf(sampleTenant, "Test"),
    type: "FuelTaxReturn",
    status: "Open",
    reference: "IFTA",
    jurisdiction: null,
    period: null,
    payeeCounterpartyId: newId("cp"),
    lines: [],
    fixedCents: 0,
    paymentOrderId: null,
    remittance: null,
    eventCount: 0,
    makers: ["maker"],
    version: 1,
    createdBy: "maker",
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...change,
  });
}

const line = (amountCents: number, kind: ObligationLine["basis"]["kind"] = "Actual"): ObligationLine => ({
  description: `line of ${String(amountCents)}`,
  amountCents,
  basis: { kind, source: "trip sheets" },
});

const accrualOf = (...lines: ObligationLine[]): AccrueCommand => ({
  kind: "Accrue",
  commandId: newUuid(),
  transactionId: newId("lt"),
  obligationId: id,
  lines,
  actor: "maker",
  effectiveAt: "2026-03-02T15:00:00.000Z",
});

const payment = (change: Partial<Remittance> = {}) =>
  ({
    status: "Remitting",
    paymentOrderId: change.orderId ?? order,
    remittance: {
      orderId: order,
      amountCents: 100,
      rail: "Ach",
      fundingAccountId: payroll,
      requestedBy: null,
      ...change,
    },
  }) as const;

const hold = (orderId: PaymentOrderId = order, amountCents = 100, ledgerAccountId = payroll) =>
  holdOf(orderId, ledgerAccountId, amountCents, { contra: { kind: "Obligation", obligationId: id } });

/** Decides a command, and applies the outcome to the book and the obligation. */
function after(command: LedgerCommand): { decision: Decision; move: ObligationTransition | null } {
  const decision = given.after(command);
  if (decision.kind !== "Append" && decision.kind !== "Refuse") return { decision, move: null };
  const move = transitionFor(given.book, command, decision.outcome);
  if (move !== null) given.book.obligations.set(id, move.after);
  return { decision, move };
}

/** Fixed at 100 cents, and its order's hold placed. */
function remitting(): void {
  after(accrualOf(line(100)));
  owes({ ...given.book.obligations.get(id), ...payment() });
  after(hold());
}

describe("an accrual", () => {
  it("debits the expense and credits the liability", () => {
    const { decision, move } = after(accrualOf(line(60), line(40)));
    expect(linesOf(decision)).toEqual(posted(dr(expense, 100), cr(liability, 100)));
    expect(move).toMatchObject({
      after: { status: "Fixed", fixedCents: 100, eventCount: 1 },
      event: { kind: "Fixed", amountCents: 100, actor: "maker" },
    });
  });

  it("of an amendment books only the difference, up or down", () => {
    after(accrualOf(line(100)));
    const up = after(accrualOf(line(130)));
    expect(linesOf(up.decision)).toEqual(posted(dr(expense, 30), cr(liability, 30)));
    const down = after(accrualOf(line(90)));
    expect(linesOf(down.decision)).toEqual(posted(cr(expense, 40), dr(liability, 40)));
    expect(down.move?.event).toMatchObject({ kind: "Amended", amountCents: -40 });
    expect(given.balanceOf(liability)).toEqual([90, 0, 0, 90]);
  });

  it.each([
    ["Demo", "basis_is_demo_data"],
    ["Missing", "basis_missing_input"],
  ] as const)("refuses a %s line", (kind, code) => {
    expect(given.codeAfter(accrualOf(line(60), line(40, kind)))).toBe(code);
  });

  it("of an amendment may not be below the paid sum", () => {
    remitting();
    after(settlementOf(order));
    expect(given.codeAfter(accrualOf(line(99)))).toBe("amended_below_paid");
    expect(given.codeAfter(accrualOf(line(101)))).toBe("Append");
  });

  it("is invalid for an unknown obligation, while an order pays it, and for an unchanged sum", () => {
    expect(given.codeAfter({ ...accrualOf(line(1)), obligationId: newId("ob") })).toBe(
      "obligation_not_accruable",
    );
    after(accrualOf(line(100)));
    expect(given.codeAfter(accrualOf(line(50), line(50)))).toBe("obligation_not_accruable");
    owes(payment());
    expect(given.codeAfter(accrualOf(line(101)))).toBe("obligation_not_accruable");
  });
});

describe("the hold of a remittance", () => {
  beforeEach(() => {
    after(accrualOf(line(100)));
  });

  it.each([
    ["Ach", cash],
    ["Wire", cash],
    ["Usdc", wallet],
  ] as const)("on %s has four lines", (rail, bank) => {
    owes(payment({ rail }));
    expect(given.linesAfter(hold())).toEqual(
      held(dr(liability, 100), cr(bank, 100), dr(payroll, 100), cr(expense, 100)),
    );
  });

  it.each([
    ["another order", () => hold(newId("po"))],
    ["another amount", () => hold(order, 99)],
    ["another account", () => hold(order, 100, strict)],
    ["another direction", () => ({ ...hold(), direction: "Debit" as const })],
    [
      "an obligation of nobody's",
      () =>
        holdOf(order, payroll, 100, { contra: { kind: "Obligation" as const, obligationId: newId("ob") } }),
    ],
  ])("of %s is refused", (_what, command) => {
    owes(payment());
    expect(given.codeAfter(command())).toBe("obligation_not_payable");
  });

  it("is refused if no payment is under way", () => {
    expect(given.codeAfter(hold())).toBe("obligation_not_payable");
  });

  it("that is refused makes the obligation payable again, but only if it was the chosen order's", () => {
    owes({ ...given.book.obligations.get(id), ...payment({ fundingAccountId: strict }) });
    expect(after(hold(newId("po"))).move).toBeNull();
    const { decision, move } = after(hold(order, 100, strict));
    expect(resultCode(decision)).toBe("insufficient_funds");
    expect(move).toMatchObject({
      after: { status: "Fixed", paymentOrderId: null, remittance: null },
      event: { kind: "Refused", reason: "insufficient_funds", journal: null },
    });
  });
});

describe("the end of a remittance", () => {
  beforeEach(remitting);

  it("brings the liability and the expense to exactly zero when it settles", () => {
    const { move } = after(settlementOf(order));
    expect(move).toMatchObject({
      after: { status: "Relieved", paymentOrderId: order, remittance: null },
      event: { kind: "Cleared", orderId: order, amountCents: 100 },
    });
    expect(given.balanceOf(liability)).toEqual([0, 0, 0, 0]);
    expect(given.balanceOf(expense)).toEqual([0, 0, 0, 0]);
    expect(given.balanceOf(payroll)).toEqual([-100, 0, 0, -100]);
  });

  it.each(["Failed", "Returned", "Cancelled"] as const)("makes it payable again when it is %s", (cause) => {
    const { move } = after({ ...releaseOf(order), cause } as LedgerCommand);
    expect(move).toMatchObject({
      after: { status: "Fixed", paymentOrderId: null },
      event: { kind: cause, amountCents: 100 },
    });
    expect(given.balanceOf(liability)).toEqual([100, 0, 0, 100]);
  });

  it("is undone by a late return, line by line", () => {
    after(settlementOf(order));
    const { decision, move } = after(lateReturnOf(order));
    expect(linesOf(decision)).toEqual(
      posted(cr(liability, 100), dr(cash, 100), cr(payroll, 100), dr(expense, 100)),
    );
    expect(move).toMatchObject({ after: { status: "Fixed" }, event: { kind: "Returned" } });
  });

  it("by a late return does not stop the next payment", () => {
    after(settlementOf(order));
    after(accrualOf(line(130)));
    const next = newId("po");
    owes({ ...given.book.obligations.get(id), ...payment({ orderId: next, amountCents: 30 }) });
    expect(after(lateReturnOf(order)).move?.after).toMatchObject({
      status: "Remitting",
      paymentOrderId: next,
    });
    after(hold(next, 30));
    expect(after(settlementOf(next)).move?.after).toMatchObject({ status: "Fixed", paymentOrderId: null });
    expect(given.balanceOf(liability)).toEqual([100, 0, 0, 100]);
  });

  it("is unaffected by an order that pays no obligation", () => {
    const other = newId("po");
    expect(after(holdOf(other, payroll, 5)).move).toBeNull();
    expect(after(settlementOf(other)).move).toBeNull();
  });

  it("happens once: a repeated command moves nothing", () => {
    after(settlementOf(order));
    const { decision, move } = after(settlementOf(order));
    expect([resultCode(decision), move]).toEqual(["Repeat", null]);
  });
});
