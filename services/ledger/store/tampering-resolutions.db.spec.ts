import { describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { discharge, forged as forgedOn, line, pending } from "../../../test/ledger/forged.ts";
import { refusalOf, sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import type { LedgerCommand } from "../book/commands.ts";
import type { Journal, JournalKind, Line } from "../book/journal.ts";
import { holdOf, postingOf, sampleBook, settlementOf } from "../../../test/ledger/commands.ts";
import { appendJournals } from "../posting/store/append-journals.ts";

// Postgres refuses these statements by name, from the service's own role and from a superuser with psql.
const book = sampleBook;
const cash = chartAccountId(book, "SettlementCash");

const world = await openLedgerOfFile();
const payroll = await world.opens();
const savings = await world.opens();
const strict = await world.opens({ overdraft: "Refused" });
await world.writes(postingOf([payroll, "Debit", 1_000], [savings, "Credit", 1_000]));

/** The sequence of the last journal that these commands posted. */
async function write(...commands: LedgerCommand[]): Promise<number> {
  const last = (await world.writes(...commands)).at(-1);
  return last?.result === "Appended" ? last.sequence : 0;
}

const forged = (kind: JournalKind, lines: Line[], more: Partial<Journal> = {}) =>
  forgedOn(sqlOn(world.superuser), kind, lines, more);

const attackers = [
  ["the service's own role", () => world.service],
  ["a superuser", () => world.superuser],
] as const;

describe.each(attackers)("%s can't append", (_who, client) => {
  const attack = async (...journals: Journal[]) =>
    refusalOf(client(), (sql) => appendJournals(sql, journals));

  it("a second hold of one transaction", async () => {
    const order = newId("po");
    await write(holdOf(order, payroll, 5));
    const again = await forged(
      "Hold",
      [line(payroll, "Debit", 5, pending), line(cash, "Credit", 5, pending)],
      {
        transactionId: `lt_${order.slice(3)}`,
        orderId: order,
      },
    );
    expect(await attack(again)).toMatch(/^23505 journal_one_opening_\d$/);
  });

  it("a second settlement, or a release after it, even while another hold is open", async () => {
    const [order, other] = [newId("po"), newId("po")];
    const hold = await write(holdOf(order, payroll, 5));
    await write(settlementOf(order), holdOf(other, payroll, 5));
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, resolves: hold } as const;
    const back = [line(payroll, "Credit", 5, discharge), line(cash, "Debit", 5, discharge)];
    const posted = [line(payroll, "Debit", 5), line(cash, "Credit", 5)];
    const twice = /^23505 journal_one_resolution_\d$/;
    expect(await attack(await forged("Settle", [...back, ...posted], owner))).toMatch(twice);
    expect(await attack(await forged("Release", back, owner))).toMatch(twice);
  });

  it("a release of a journal that is no hold", async () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    const sequence = (await write(posting, holdOf(newId("po"), payroll, 5))) - 1;
    const release = await forged(
      "Release",
      [line(payroll, "Credit", 5, discharge), line(cash, "Debit", 5, discharge)],
      { transactionId: posting.transactionId, resolves: sequence },
    );
    expect(await attack(release)).toBe("LG008 journal_resolution_exact");
  });

  it("a release of more, or less, than was held", async () => {
    const order = newId("po");
    const hold = await write(holdOf(newId("po"), payroll, 50), holdOf(order, payroll, 5));
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, resolves: hold } as const;
    for (const cents of [4, 6]) {
      const back = [line(payroll, "Credit", cents, discharge), line(cash, "Debit", cents, discharge)];
      expect(await attack(await forged("Release", back, owner))).toBe("LG008 journal_resolution_exact");
    }
  });

  it("a release of more than all holds together", async () => {
    const order = newId("po");
    const hold = await write(holdOf(order, strict, 1, { direction: "Debit" }));
    const back = [line(strict, "Debit", 9_999, discharge), line(cash, "Credit", 9_999, discharge)];
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, resolves: hold } as const;
    expect(await attack(await forged("Release", back, owner))).toBe("23514 account_balance_released_is_held");
  });

  it("a settlement that pays somebody else", async () => {
    const order = newId("po");
    const hold = await write(holdOf(order, payroll, 5));
    const lines = [
      line(payroll, "Credit", 5, discharge),
      line(cash, "Debit", 5, discharge),
      line(payroll, "Debit", 5),
      line(savings, "Credit", 5),
    ];
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, resolves: hold } as const;
    expect(await attack(await forged("Settle", lines, owner))).toBe("LG008 journal_resolution_exact");
  });

  it("a settlement in another transaction's name", async () => {
    const order = newId("po");
    const hold = await write(holdOf(order, payroll, 5));
    const lines = [
      line(payroll, "Credit", 5, discharge),
      line(cash, "Debit", 5, discharge),
      line(payroll, "Debit", 5),
      line(cash, "Credit", 5),
    ];
    expect(await attack(await forged("Settle", lines, { resolves: hold }))).toBe(
      "LG008 journal_resolution_exact",
    );
  });

  it("a hold that is really a posting", async () => {
    expect(await attack(await forged("Hold", [line(payroll, "Debit", 5), line(cash, "Credit", 5)]))).toBe(
      "LG008 journal_resolution_exact",
    );
  });

  it("a late return of an unsettled hold", async () => {
    const order = newId("po");
    const hold = await write(holdOf(order, payroll, 5));
    const lines = [line(payroll, "Credit", 5), line(cash, "Debit", 5)];
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, reverses: hold } as const;
    expect(await attack(await forged("LateReturn", lines, owner))).toBe("LG008 journal_resolution_exact");
  });
});

it("the book still proves after all of these", async () => {
  expect(await world.faults()).toEqual([]);
});
