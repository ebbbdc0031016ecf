import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import {
  cash,
  GivenBook,
  linesOf,
  payroll,
  suspense,
  wallet,
  resultCode,
} from "../../../../test/ledger/given.ts";
import { holdOf, releaseOf, reversalOf, strayOf } from "../../../../test/ledger/commands.ts";

// Money that the bank moves for an order that is already final: no account is guessed, it is booked to Suspense.
let given: GivenBook;
const order = newId("po");
beforeEach(() => {
  given = new GivenBook();
  given.after(holdOf(order, payroll, 40));
  given.after(releaseOf(order));
});

describe("money that the bank moves for an order that is already final", () => {
  it("went out though the order had failed: Dr Suspense, Cr Settlement cash", () => {
    expect(linesOf(given.after(strayOf(order, 40)))).toEqual([
      ["Posted", "Normal", "Debit", suspense, 40],
      ["Posted", "Normal", "Credit", cash, 40],
    ]);
    expect(given.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    expect(given.balanceOf(suspense)[0]).toBe(-40);
    expect(given.balanceOf(cash)[0]).toBe(-40);
  });

  it("came back once more: Dr Settlement cash, Cr Suspense", () => {
    expect(linesOf(given.after(strayOf(order, 40, { movement: "Return" })))).toEqual([
      ["Posted", "Normal", "Credit", suspense, 40],
      ["Posted", "Normal", "Debit", cash, 40],
    ]);
    expect(given.balanceOf(suspense)[0]).toBe(40);
  });

  it("was collected though the order had failed: Dr Settlement cash, Cr Suspense", () => {
    expect(linesOf(given.after(strayOf(order, 40, { direction: "Debit" })))).toEqual([
      ["Posted", "Normal", "Debit", cash, 40],
      ["Posted", "Normal", "Credit", suspense, 40],
    ]);
  });

  it("left the wallet, which is Debit-normal as cash is", () => {
    expect(linesOf(given.after(strayOf(order, 40, { contra: { kind: "StablecoinWallet" } })))).toEqual([
      ["Posted", "Normal", "Debit", suspense, 40],
      ["Posted", "Normal", "Credit", wallet, 40],
    ]);
    expect(given.balanceOf(wallet)[0]).toBe(-40);
  });

  it("is a transaction of its own that names the order, posted once however often it is reported", () => {
    const command = strayOf(order, 40);
    expect(given.after(command)).toMatchObject({
      journal: { kind: "Post", orderId: order, transactionId: command.transactionId },
    });
    expect(resultCode(given.after(command))).toBe("Repeat");
    expect(resultCode(given.after({ ...command, amountCents: 41 }))).toBe("command_conflict");
    expect(given.balanceOf(suspense)[0]).toBe(-40);
  });

  it("can't be reversed by hand: it belongs to its order", () => {
    const command = strayOf(order, 40);
    given.after(command);
    expect(resultCode(given.after(reversalOf(command)))).toBe("transaction_owned");
  });
});
