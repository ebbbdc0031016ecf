import { describe, expect, it } from "vitest";
import { newId, type LedgerAccountId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  holdOf,
  inboundOf,
  lateReturnOf,
  pendingOf,
  postingOf,
  releaseOf,
  sampleBook,
  settlementOf,
  suspensePostingOf,
} from "../../../test/ledger/commands.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { readBalances } from "../accounts/store/balances.ts";
import { storedClassTotals } from "../audit/store/page-checks.ts";
import { readCash } from "../reconciliation/store/cash-movements.ts";

// Journals that leave a balance as it is and raise the debits and credits that Postgres adds up.
const world = await openLedgerOfFile();
const [payroll, savings, reserve] = [await world.opens(), await world.opens(), await world.opens()];
const [settled, released] = [newId("po"), newId("po")];
const largest = 9_007_199_254_740_991;

/** A transaction that moves the largest amount out of an account and back, a hundred times. */
const spin = (id: LedgerAccountId) =>
  postingOf(
    ...Array.from({ length: 100 }, () => [
      [id, "Debit", largest] as const,
      [id, "Credit", largest] as const,
    ]).flat(),
  );

await world.writes(holdOf(settled, payroll, 900), holdOf(released, payroll, 700));
// Five of them on each account: 4.5e18 cents of debits each, and 13.5e18 of the class.
for (const id of [payroll, savings, reserve]) {
  for (let time = 0; time < 5; time += 1) await world.writes(spin(id));
}

describe("a book whose accounts add up to more than 64 bits", () => {
  it("refuses what would take an account's own counters beyond 2^62", async () => {
    const refused = { result: "Refused", code: "balance_out_of_range" };
    expect(await world.writes(spin(payroll))).toMatchObject([refused]);
    expect(
      await world.writes(
        pendingOf(
          ...spin(payroll).lines.map((l) => [l.ledgerAccountId, l.direction, l.amountCents] as const),
        ),
      ),
    ).toMatchObject([refused]);
  });

  it("books what the bank forces", async () => {
    const outcomes = await world.writes(
      settlementOf(settled),
      releaseOf(released),
      lateReturnOf(settled),
      suspensePostingOf(newId("po"), 11),
      inboundOf(payroll, 13),
      inboundOf(null, 17),
    );
    expect(outcomes.map(({ result }) => result)).toEqual(Array(6).fill("Appended"));
  });

  it("books its other holds and postings", async () => {
    const order = newId("po");
    const outcomes = await world.writes(
      postingOf([payroll, "Debit", 5], [savings, "Credit", 5]),
      holdOf(order, savings, 5),
    );
    expect(outcomes.map(({ result }) => result)).toEqual(["Appended", "Appended"]);
    await world.writes(releaseOf(order));
  });

  it("has exact class totals, which its checkpoints repeat, and is proven", async () => {
    const { sql } = world.units.database;
    const [tenant] = (await storedClassTotals(sql, sampleBook)).filter((total) => total.class === "Tenant");
    const spun = 15n * 100n * BigInt(largest);
    expect(tenant?.counters.postedDebit).toBe(spun + 900n + 5n);
    expect(tenant?.counters.postedCredit).toBe(spun + 900n + 13n + 5n);
    expect(await world.faults()).toEqual([]);
  });

  it("can be read now, as of an effective day, and by a reconciliation", async () => {
    const { sql } = world.units.database;
    const page = { after: null, limit: 10 };
    const now = await readBalances(sql, uuidOf(sampleBook), page);
    const then = await readBalances(sql, uuidOf(sampleBook), page, { kind: "Effective", day: "2030-01-01" });
    expect(then.totals.find((total) => total.class === "Tenant")).toEqual(
      now.totals.find((total) => total.class === "Tenant"),
    );
    expect(await readCash(sql, sampleBook)).toMatchObject({ ledgerCashCents: 19n, subLedgerCents: 19n });
  });
});
