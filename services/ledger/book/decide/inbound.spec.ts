import { beforeEach, describe, expect, it } from "vitest";
import { newId, newUuid } from "../../../../contracts/ids/ids.ts";
import {
  account,
  cash,
  GivenBook,
  payroll,
  suspense,
  wallet,
  dr,
  cr,
  posted,
} from "../../../../test/ledger/given.ts";
import { sampleTenant, unmatchedReturnOf } from "../../../../test/ledger/commands.ts";
import type { AssignCommand, InboundCommand } from "../commands.ts";

let given: GivenBook;
beforeEach(() => {
  given = new GivenBook();
});

function inbound(change: Partial<InboundCommand> = {}): InboundCommand {
  return {
    kind: "Inbound",
    commandId: newUuid(),
    tenantId: sampleTenant,
    mode: "Test",
    transactionId: newId("lt"),
    bankReference: "W1",
    contra: { kind: "SettlementCash" },
    amountCents: 40,
    currency: "USD",
    ledgerAccountId: payroll,
    effectiveAt: "2026-03-02T15:00:00.000Z",
    ...change,
  };
}

function assign(change: Partial<AssignCommand> = {}): AssignCommand {
  return {
    kind: "Assign",
    commandId: newUuid(),
    transactionId: newId("lt"),
    direction: "Credit",
    ledgerAccountId: payroll,
    amountCents: 40,
    currency: "USD",
    effectiveAt: "2026-03-02T15:00:00.000Z",
    ...change,
  };
}

describe("an inbound payment", () => {
  it("is posted to the account that its number leads to: Dr Settlement cash, Cr account", () => {
    expect(given.linesAfter(inbound())).toEqual(posted(dr(cash, 40), cr(payroll, 40)));
    expect(given.balanceOf(payroll)).toEqual([40, 0, 0, 40]);
    expect(given.balanceOf(cash)[0]).toBe(40);
  });

  it("debits the wallet if it came as a stablecoin", () => {
    given.after(inbound({ contra: { kind: "StablecoinWallet" } }));
    expect([given.balanceOf(wallet)[0], given.balanceOf(cash)[0]]).toEqual([40, 0]);
  });

  it("credits Suspense if its number is unknown or its account is closed", () => {
    given.closes(payroll);
    for (const ledgerAccountId of [null, payroll]) {
      expect(given.linesAfter(inbound({ ledgerAccountId }))).toEqual(posted(dr(cash, 40), cr(suspense, 40)));
    }
  });

  it("credits Suspense if the account, pending inbound included, would exceed 2^53 - 1 cents", () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    const counters = { ...account(payroll).counters, postedCredit: most - 60n, heldCredit: 20n };
    given.has(account(payroll, { counters }));
    given.after(inbound({ amountCents: 41 }));
    expect(given.balanceOf(suspense)[0]).toBe(41);
    given.after(inbound());
    expect(given.balanceOf(suspense)[0]).toBe(41);
    expect(given.balanceOf(payroll)[0]).toBe(Number.MAX_SAFE_INTEGER - 20);
  });

  it("is booked once per command, even if its number leads elsewhere later; another amount is a conflict", () => {
    const command = inbound();
    given.after(command);
    expect(given.codeAfter({ ...command, ledgerAccountId: null, transactionId: newId("lt") })).toBe("Repeat");
    expect(given.codeAfter({ ...command, amountCents: 41 })).toBe("command_conflict");
    expect(given.balanceOf(payroll)[0]).toBe(40);
  });

  it("can't be reversed by hand: it belongs to its payment", () => {
    const { transactionId } = inbound();
    given.after(inbound({ transactionId }));
    const effectiveAt = "2026-03-02T16:00:00.000Z";
    const reverse = { kind: "Reverse", commandId: newUuid(), transactionId, effectiveAt } as const;
    expect(given.codeAfter(reverse)).toBe("transaction_owned");
  });
});

describe("an assignment", () => {
  beforeEach(() => void given.after(inbound({ ledgerAccountId: null })));

  it("takes money out of Suspense: Dr Suspense, Cr account", () => {
    expect(given.linesAfter(assign())).toEqual(posted(dr(suspense, 40), cr(payroll, 40)));
    expect([given.balanceOf(suspense)[0], given.balanceOf(payroll)[0]]).toEqual([0, 40]);
  });

  it.each([
    ["that is closed", () => given.closes(payroll), {}, "ledger_account_closed"],
    ["of the chart", () => undefined, { ledgerAccountId: cash }, "system_account_not_postable"],
    ["that is not there", () => undefined, { ledgerAccountId: newId("la") }, "ledger_account_not_found"],
    [
      "that is Debit-normal",
      () => given.has(account(payroll, { normalBalance: "Debit" })),
      {},
      "invalid_field",
    ],
    [
      "that is full",
      () => {
        const postedCredit = BigInt(Number.MAX_SAFE_INTEGER) - 39n;
        given.has(account(payroll, { counters: { ...account(payroll).counters, postedCredit } }));
      },
      {},
      "balance_out_of_range",
    ],
  ])("is refused to an account %s", (_what, before, change, code) => {
    before();
    expect(given.codeAfter(assign(change))).toBe(code);
    expect(given.balanceOf(suspense)[0]).toBe(40);
  });
});

describe("an unmatched return", () => {
  it("is posted to Suspense, whatever that makes of it: Dr Settlement cash, Cr Suspense, or the opposite", () => {
    expect(given.linesAfter(unmatchedReturnOf(40))).toEqual(posted(dr(cash, 40), cr(suspense, 40)));
    expect(given.linesAfter(unmatchedReturnOf(70, "Debit"))).toEqual(posted(dr(suspense, 70), cr(cash, 70)));
    expect(given.balanceOf(suspense)[0]).toBe(-30);
  });

  it("is one request by its trace number, code, direction and amount", () => {
    const command = unmatchedReturnOf(40);
    given.after(command);
    given.after({ ...command, effectiveAt: "2026-03-03T15:00:00.000Z" });
    expect(given.balanceOf(suspense)[0]).toBe(40);
    for (const other of [{ code: "R02" }, { direction: "Debit" }, { amountCents: 41 }] as const) {
      expect(given.codeAfter({ ...command, ...other })).toBe("command_conflict");
    }
  });

  it("that took money is charged to an account, also below zero: Dr account, Cr Suspense", () => {
    given.has(account(payroll, { overdraft: "Refused" }));
    given.after(unmatchedReturnOf(40, "Debit"));
    expect(given.linesAfter(assign({ direction: "Debit" }))).toEqual(
      posted(dr(payroll, 40), cr(suspense, 40)),
    );
    expect(given.balanceOf(payroll)[0]).toBe(-40);
  });
});
