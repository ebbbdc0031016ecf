import { describe, expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import { balancesBy, checkFunds } from "./preview.ts";

const account = {
  id: idOf("la", "019c0000-0000-7000-8000-000000000001"),
  name: "Operating",
  overdraft: "Refused" as const,
  pendingBalanceCents: 300,
  pendingInboundCents: 50,
  postedBalanceCents: 1_000,
  availableBalanceCents: 700,
};
const balances = (
  pendingBalanceCents: number,
  postedBalanceCents: number,
  availableBalanceCents: number,
) => ({ pendingBalanceCents, postedBalanceCents, availableBalanceCents });

describe("the balances that an order would leave", () => {
  it("of a Credit are pending at the hold and posted at settlement", () => {
    expect(balancesBy({ direction: "Credit", amountCents: 200 }, account)).toEqual({
      now: balances(300, 1_000, 700),
      held: balances(500, 1_000, 500),
      settled: balances(300, 800, 500),
    });
  });

  it("of a Debit do not change until it is posted", () => {
    expect(balancesBy({ direction: "Debit", amountCents: 200 }, account)).toEqual({
      now: balances(300, 1_000, 700),
      held: balances(300, 1_000, 700),
      settled: balances(300, 1_200, 900),
    });
  });

  it("never leave the safe integers, pending collections included", () => {
    const full = { ...account, postedBalanceCents: Number.MAX_SAFE_INTEGER - 100, pendingInboundCents: 99 };
    expect(() => balancesBy({ direction: "Debit", amountCents: 1 }, full)).not.toThrow();
    expect(() => balancesBy({ direction: "Debit", amountCents: 2 }, full)).toThrow(
      expect.objectContaining({ code: "balance_out_of_range" }),
    );
  });
});

describe("funds", () => {
  it("suffice to the exact cent", () => {
    expect(() => checkFunds(700, account)).not.toThrow();
    expect(() => checkFunds(701, account)).toThrow(
      expect.objectContaining({
        code: "insufficient_funds",
        context: { resourceId: account.id, availableBalanceCents: 700 },
      }),
    );
  });

  it("are not checked for an account that allows overdraft", () => {
    expect(() => checkFunds(701, { ...account, overdraft: "Allowed" })).not.toThrow();
  });
});
