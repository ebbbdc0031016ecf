import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import { cash, GivenBook, payroll, suspense, wallet, dr, cr, posted } from "../../../../test/ledger/given.ts";
import { holdOf, releaseOf, reversalOf, suspensePostingOf } from "../../../../test/ledger/commands.ts";

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
    expect(given.linesAfter(suspensePostingOf(order, 40))).toEqual(posted(dr(suspense, 40), cr(cash, 40)));
    expect(given.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    expect(given.balanceOf(suspense)[0]).toBe(-40);
    expect(given.balanceOf(cash)[0]).toBe(-40);
  });

  it("came back once more: Dr Settlement cash, Cr Suspense", () => {
    expect(given.linesAfter(suspensePostingOf(order, 40, { movement: "Return" }))).toEqual(
      posted(cr(suspense, 40), dr(cash, 40)),
    );
    expect(given.balanceOf(suspense)[0]).toBe(40);
  });

  it("was collected though the order had failed: Dr Settlement cash, Cr Suspense", () => {
    expect(given.linesAfter(suspensePostingOf(order, 40, { direction: "Debit" }))).toEqual(
      posted(dr(cash, 40), cr(suspense, 40)),
    );
  });

  it("left the wallet, which is Debit-normal as cash is", () => {
    expect(given.linesAfter(suspensePostingOf(order, 40, { contra: { kind: "StablecoinWallet" } }))).toEqual(
      posted(dr(suspense, 40), cr(wallet, 40)),
    );
    expect(given.balanceOf(wallet)[0]).toBe(-40);
  });

  it("is a transaction of its own that names the order, posted once however often it is reported", () => {
    const command = suspensePostingOf(order, 40);
    expect(given.after(command)).toMatchObject({
      journal: { kind: "Post", orderId: order, transactionId: command.transactionId },
    });
    expect(given.codeAfter(command)).toBe("Repeat");
    expect(given.codeAfter({ ...command, amountCents: 41 })).toBe("command_conflict");
    expect(given.balanceOf(suspense)[0]).toBe(-40);
  });

  it("can't be reversed by hand: it belongs to its order", () => {
    const command = suspensePostingOf(order, 40);
    given.after(command);
    expect(given.codeAfter(reversalOf(command))).toBe("transaction_owned");
  });
});
