import { describe, expect, it } from "vitest";
import { newId, type LedgerAccountId } from "../../../contracts/ids/ids.ts";
import {
  attackersOf,
  discharge,
  forged as forgedOn,
  movedBack,
  movedBetween,
  ordered,
  pending,
} from "../../../test/ledger/rows/forged.ts";
import { refusalOf, sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import type { Journal, JournalKind, Line } from "../book/journal.ts";
import { holdOf, postingOf, sampleBook, settlementOf } from "../../../test/ledger/commands.ts";
import { appendJournals } from "../../../test/ledger/rows/append-journals.ts";

// Postgres refuses these statements by name, from the service's own role and from a superuser with psql.
const book = sampleBook;
const cash = chartAccountId(book, "SettlementCash");

const world = await openLedgerOfFile();
const payroll = await world.opens();
const savings = await world.opens();
const strict = await world.opens({ overdraft: "Refused" });
await world.writes(postingOf([payroll, "Debit", 1_000], [savings, "Credit", 1_000]));

const forged = (kind: JournalKind, lines: Line[], more: Partial<Journal> = {}) =>
  forgedOn(sqlOn(world.superuser), kind, lines, more);
/** The lines that give back what an order held. */
const discharged = (account: LedgerAccountId, cents = 5) => movedBack(account, cash, discharge, cents);
const notItsMirror = "LG008 journal_resolution_exact";

describe.each(attackersOf(world))("%s can't append", (_who, client) => {
  const attack = (journal: Journal) => refusalOf(client, (sql) => appendJournals(sql, [journal]));
  /** A new order's ids, and the sequence of its hold on payroll. */
  const held = async () => {
    const own = ordered();
    return { own, hold: await world.appends(holdOf(own.orderId, payroll, 5)) };
  };

  it("a second hold of one transaction", async () => {
    const { own } = await held();
    const again = await forged("Hold", movedBetween(payroll, cash, pending), own);
    expect(await attack(again)).toMatch(/^23505 journal_one_opening_\d$/);
  });

  it("a second settlement, or a release after it, even while another hold is open", async () => {
    const { own, hold } = await held();
    await world.writes(settlementOf(own.orderId), holdOf(newId("po"), payroll, 5));
    const owner = { ...own, resolves: hold };
    const twice = /^23505 journal_one_resolution_\d$/;
    const settle = [...discharged(payroll), ...movedBetween(payroll, cash)];
    expect(await attack(await forged("Settle", settle, owner))).toMatch(twice);
    expect(await attack(await forged("Release", discharged(payroll), owner))).toMatch(twice);
  });

  it("a release of a journal that is no hold", async () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    const resolves = (await world.appends(posting, holdOf(newId("po"), payroll, 5))) - 1;
    const { transactionId } = posting;
    const release = await forged("Release", discharged(payroll), { transactionId, resolves });
    expect(await attack(release)).toBe(notItsMirror);
  });

  it("a release of more, or less, than was held", async () => {
    const own = ordered();
    const resolves = await world.appends(holdOf(newId("po"), payroll, 50), holdOf(own.orderId, payroll, 5));
    for (const cents of [4, 6]) {
      const release = await forged("Release", discharged(payroll, cents), { ...own, resolves });
      expect(await attack(release)).toBe(notItsMirror);
    }
  });

  it("a release of more than all holds together", async () => {
    const own = ordered();
    const resolves = await world.appends(holdOf(own.orderId, strict, 1, { direction: "Debit" }));
    const back = movedBetween(strict, cash, discharge, 9_999);
    expect(await attack(await forged("Release", back, { ...own, resolves }))).toBe(
      "23514 account_balance_released_is_held",
    );
  });

  it("a settlement that pays somebody else", async () => {
    const { own, hold } = await held();
    const lines = [...discharged(payroll), ...movedBetween(payroll, savings)];
    expect(await attack(await forged("Settle", lines, { ...own, resolves: hold }))).toBe(notItsMirror);
  });

  it("a settlement in another transaction's name", async () => {
    const { hold } = await held();
    const lines = [...discharged(payroll), ...movedBetween(payroll, cash)];
    expect(await attack(await forged("Settle", lines, { resolves: hold }))).toBe(notItsMirror);
  });

  it("a hold that is really a posting", async () => {
    expect(await attack(await forged("Hold", movedBetween(payroll, cash)))).toBe(notItsMirror);
  });

  it("a late return of an unsettled hold", async () => {
    const { own, hold } = await held();
    const back = await forged("LateReturn", movedBack(payroll, cash), { ...own, reverses: hold });
    expect(await attack(back)).toBe(notItsMirror);
  });
});

it("the book is still proven after all of these", async () => {
  expect(await world.faults()).toEqual([]);
});
