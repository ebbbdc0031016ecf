import { beforeAll, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId } from "../../../contracts/ids/ids.ts";
import { holdOf, postingOf, sampleBook, sampleTenant } from "../../../test/ledger/commands.ts";
import { refused, requestBy } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { CheckHold } from "./check-hold.handler.ts";
import { readAccounts } from "./store/accounts.ts";

const world = await openLedgerOfFile();
const [payroll, savings] = [await world.opens(), await world.opens({ overdraft: "Refused" })];
const largest = 9_007_199_254_740_991n;
const checks = new CheckHold(world.units.database);

const check = (ledgerAccountId: LedgerAccountId, amountCents: number, contraId?: LedgerAccountId) => {
  const contra =
    contraId === undefined
      ? ({ kind: "SettlementCash" } as const)
      : ({ kind: "LedgerAccount", ledgerAccountId: contraId } as const);
  const hold = { direction: "Credit", currency: "USD", ledgerAccountId, contra, amountCents } as const;
  return checks.check(hold, requestBy(sampleTenant));
};

/** How many cents the account's debits may still rise. */
async function roomOf(id: LedgerAccountId): Promise<bigint> {
  const [found] = await readAccounts(world.units.database.sql, [{ book: sampleBook, id }]);
  return 2n ** 62n - found!.account.counters.postedDebit;
}

/** Moves money out of Payroll and back until its debits may rise by a million cents only. */
beforeAll(async () => {
  const room = (await roomOf(payroll)) - 1_000_000n;
  const amounts = [...Array<bigint>(Number(room / largest)).fill(largest), room % largest].map(Number);
  for (let start = 0; start < amounts.length; start += 100) {
    const lines = amounts
      .slice(start, start + 100)
      .flatMap((cents) => [[payroll, "Debit", cents] as const, [payroll, "Credit", cents] as const]);
    await world.writes(postingOf(...lines));
  }
});

describe("a hold that is checked", () => {
  it("is refused as it would be if it were placed, and places nothing", async () => {
    await expect(check(payroll, 1_000_001)).rejects.toMatchObject(refused("balance_out_of_range"));
    await expect(check(savings, 1)).rejects.toMatchObject(refused("insufficient_funds"));
    await expect(check(payroll, 5, payroll)).rejects.toMatchObject(refused("same_account"));
    await expect(check(newId("la"), 5)).rejects.toMatchObject(refused("ledger_account_not_found"));
    expect(await world.writes(holdOf(newId("po"), payroll, 1_000_001))).toMatchObject([
      { result: "Refused", code: "balance_out_of_range" },
    ]);
    expect(await world.faults()).toEqual([]);
  });

  it("passes up to the exact cent", async () => {
    expect(await check(payroll, 1_000_000)).toEqual({});
    expect(await check(payroll, 1_000_000, savings)).toEqual({});
    expect(await world.writes(holdOf(newId("po"), payroll, 1_000_000))).toMatchObject([
      { result: "Appended" },
    ]);
    await expect(check(payroll, 1)).rejects.toMatchObject(refused("balance_out_of_range"));
  });
});
