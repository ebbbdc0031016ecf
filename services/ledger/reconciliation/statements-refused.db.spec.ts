import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { StatementPart } from "../../../contracts/messages/bank-statements.ts";
import { Bank, idOfStatement, lineOf } from "../../../test/ledger/bank.ts";
import { Reconciler } from "../../../test/ledger/reconciler.ts";
import { refusalOf, sqlOn } from "../../../test/ledger/world.ts";
import {
  holdOf,
  sampleBook,
  sampleEffectiveAt,
  settlementOf,
  tenantBeforeSample,
} from "../../../test/ledger/commands.ts";
import { ofBook } from "../../../test/ledger/rows/written.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { postJournals } from "../posting/post-journals.ts";
import { createBooks } from "../posting/store/lock-books.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";

// Statements that contradict themselves or do not arrive, and runs that nobody can change.
let at: Reconciler;
beforeEach(async () => {
  at = await Reconciler.open();
  return () => at.close();
});

describe("a statement that contradicts itself or an earlier one", () => {
  const contradictions: [string, (parts: StatementPart[]) => StatementPart[]][] = [
    ["a wrong hash", ([p]) => [{ ...p!, statement: { ...p!.statement, hash: "0".repeat(64) } }]],
    ["a changed amount", ([p]) => [{ ...p!, lines: p!.lines.map((line) => ({ ...line, amountCents: 1 })) }]],
    ["a line too few", ([p]) => [{ ...p!, lines: [] }]],
  ];
  it.each(contradictions)(
    "is refused with %s, as a permanent error, and stores nothing",
    async (_what, falsify) => {
      const parts = at.bank.prints("2026-03-02", [lineOf(await at.settled(), -300)]);
      await expect(at.receives(...falsify(parts))).rejects.toMatchObject({
        code: "bank_statement_refused",
        permanent: true,
      });
      for (const table of ["bank_statement", "bank_line", "reconciliation", "statement_part"]) {
        expect([table, await at.countOf(table)]).toEqual([table, 0]);
      }
      await at.receives(...parts);
      expect(await at.report()).toMatchObject({ status: "Reconciled" });
    },
  );

  it("is refused if its id was received with other content", async () => {
    const order = await at.settled();
    const parts = at.bank.prints("2026-03-02", [lineOf(order, -300)]);
    await at.receives(...parts);
    const forged = new Bank().prints("2026-03-02", [lineOf(order, -301)], {
      id: idOfStatement(parts),
    });
    await expect(at.receives(...forged)).rejects.toThrow("was received before with different content");
    expect([await at.countOf("reconciliation"), await at.countOf("bank_line")]).toEqual([1, 1]);
  });

  it("is refused if its number is not the next one, although it names the previous statement", async () => {
    await at.gets("2026-03-02", []);
    await expect(at.receives(...at.bank.prints("2026-03-03", [], { number: 7 }))).rejects.toThrow(
      "does not follow",
    );
  });
});

describe("a statement of a book that the ledger does not have yet", () => {
  it("waits for the request that creates the book", async () => {
    const fresh = await Reconciler.open({ hasBook: false });
    onTestFinished(() => fresh.close());
    const run = await fresh.requestsRun(async () => {
      const parts = fresh.bank.prints("2026-03-02", []);
      await fresh.receives(...parts);
      return parts;
    });
    expect(run).toMatchObject({ status: "Reconciled", differenceCents: 0 });
    expect([await fresh.countOf("reconciliation"), await fresh.countOf("statement_part")]).toEqual([1, 0]);
  });
});

describe("a statement that was refused", () => {
  it("is read again on request, however many statements wait for it: each request compares the oldest 21", async () => {
    const refused = at.bank.prints("2026-03-02", [lineOf(await at.settled(), -300)]);
    const forged = refused.map((part) => ({
      ...part,
      statement: { ...part.statement, hash: "0".repeat(64) },
    }));
    await expect(at.receives(...forged)).rejects.toMatchObject({ code: "bank_statement_refused" });
    for (let n = 2; n <= 42; n += 1) at.bank.prints("2026-03-03", []);
    const requests = () => at.requestsRun(async () => at.bank.prints("2026-03-06", []));
    // The newest statement is number 43, then 44, then 45.
    expect(await requests()).toMatchObject({ status: "Reconciled", date: "2026-03-03" });
    expect(await at.countOf("bank_statement")).toBe(21);
    expect(await requests()).toMatchObject({ status: "Reconciled", date: "2026-03-03" });
    expect(await at.countOf("bank_statement")).toBe(42);
    expect(await requests()).toMatchObject({ status: "Reconciled", date: "2026-03-06" });
    expect(await at.countOf("bank_statement")).toBe(45);
  });

  it("is read with the twenty after it in one request to the bank, although a thousand follow", async () => {
    for (let n = 1; n <= 1_000; n += 1) at.bank.prints("2026-03-03", []);
    const run = await at.requestsRun(async () => at.bank.prints("2026-03-06", []));
    expect(run).toMatchObject({ status: "Reconciled", date: "2026-03-03" });
    expect(at.asked).toEqual(["rails.issue-statement.v1", "rails.read-statements-after.v1"]);
    expect(await at.countOf("bank_statement")).toBe(21);
  });

  it("is read alone if it and the next one have more than 2,000 lines", async () => {
    const lines = (count: number) => Array.from({ length: count }, () => lineOf(newId("po"), -1));
    for (const count of [1_990, 11, 2]) at.bank.prints("2026-03-03", lines(count));
    const requests = () => at.requestsRun(async () => at.bank.prints("2026-03-06", []));
    expect(await requests()).toMatchObject({ statement: { lineCount: 1_990 } });
    expect(await requests()).toMatchObject({ date: "2026-03-06", unmatchedBankLineCount: 2_003 });
  });

  it("is followed by the statements that waited for it once the next one arrives", async () => {
    at.bank.prints("2026-03-02", [lineOf(await at.settled(), -300)]);
    for (let n = 2; n <= 30; n += 1) await at.gets("2026-03-03", []);
    expect(await at.countOf("bank_statement")).toBe(0);
    const newest = at.bank.prints("2026-03-06", []);
    await at.requestsRun(async () => newest);
    await at.receives(...newest);
    expect([await at.countOf("bank_statement"), await at.countOf("statement_part")]).toEqual([31, 0]);
    expect(await at.report()).toMatchObject({ status: "Reconciled", date: "2026-03-06" });
  });
});

describe("a statement that does not arrive", () => {
  const tenOClock = "2026-03-03T15:00:00.000Z";

  it("gets one NotReconciled run, at ten in New York and not earlier, without a difference of zero", async () => {
    await at.settled();
    expect(await at.misses("2026-03-03T14:59:00.000Z")).toBe(0);
    expect(await at.misses(tenOClock)).toBe(1);
    expect(await at.misses("2026-03-03T16:00:00.000Z")).toBe(0);
    expect(await at.report()).toMatchObject({
      date: "2026-03-02",
      status: "NotReconciled",
      reasons: ["StatementMissing"],
      statement: null,
      closingBankBalanceCents: null,
      differenceCents: null,
      ledgerCashCents: -300,
    });
    expect(await at.countOf("reconciliation")).toBe(1);
  });

  it("is checked for in every book, page by page", async () => {
    // Their ids precede the sample book's, which is on the third page.
    await at.world.superuser.query(
      `insert into book (book_id, tenant_id, mode)
       select lpad(n::text, 32, '0')::uuid, gen_random_uuid(), 'Test' from generate_series(1, 1000) n`,
    );
    await at.settled();
    expect(await at.misses(tenOClock)).toBe(1);
    expect(await at.runs()).toEqual(["2026-03-02 NotReconciled"]);
  });

  it("is recorded although the run of another book can't be stored, which is tried again", async () => {
    const tenantId = tenantBeforeSample();
    const book = bookIdOf(tenantId, "Test");
    const { units, adminUrl } = at.world.units;
    await units.run(({ sql }) => createBooks(sql, [{ book, tenantId, mode: "Test" }]));
    const [order, account] = [newId("po"), await at.world.opens({ book })];
    const hold = { ...holdOf(order, account, 300, { tenantId }), effectiveAt: sampleEffectiveAt };
    await units.run(({ sql }) => postJournals(sql, ofBook(book, [hold, settlementOf(order)])));
    await at.settled();
    const cure = await poisonBook(adminUrl, "ledger.reconciliation", book, "insert");
    const flagger = at.flagger();
    expect(await flagger.tick(new Date(tenOClock))).toBe(1);
    expect(await at.runs()).toEqual(["2026-03-02 NotReconciled"]);
    await cure();
    expect(await flagger.tick(new Date("2026-03-03T15:01:00.000Z"))).toBe(1);
    expect(await flagger.tick(new Date("2026-03-03T15:02:00.000Z"))).toBe(0);
  });

  it("is recorded once by two instances at once", async () => {
    await at.settled();
    const flagged = await Promise.all([at.misses(tenOClock), at.misses(tenOClock)]);
    expect(flagged).toHaveLength(2);
    expect(await at.countOf("reconciliation")).toBe(1);
  });

  it("gets a run of its own when it arrives later, and the NotReconciled run stays", async () => {
    const order = await at.settled();
    await at.misses(tenOClock);
    await at.gets("2026-03-02", [lineOf(order, -300)]);
    expect(await at.runs()).toEqual(["2026-03-02 Reconciled", "2026-03-02 NotReconciled"]);
    expect(await at.misses("2026-03-03T17:00:00.000Z")).toBe(0);
  });

  it("is not missing if no money moved, or if it moved later", async () => {
    await at.held();
    await at.settled("2026-03-03T15:00:00.000Z");
    expect(await at.misses(tenOClock)).toBe(0);
  });

  it("is missing again if money moved after the last statement", async () => {
    await at.gets("2026-03-02", [lineOf(await at.settled(), -300)]);
    await at.settled("2026-03-03T15:00:00.000Z");
    expect(await at.misses("2026-03-04T15:00:00.000Z")).toBe(1);
    expect(await at.report()).toMatchObject({ date: "2026-03-03", status: "NotReconciled" });
  });

  it("is missing if money moved only overnight, before the last statement was compared", async () => {
    const lines = [lineOf(await at.settled(), -300)];
    await at.settled("2026-03-03T09:00:00.000Z");
    await at.gets("2026-03-02", lines);
    expect(await at.misses(tenOClock)).toBe(0);
    expect(await at.misses("2026-03-04T15:00:00.000Z")).toBe(1);
    expect(await at.runs()).toEqual(["2026-03-03 NotReconciled", "2026-03-02 Reconciled"]);
  });

  it("is missing every banking day, even if money moved only before the last missing-statement run", async () => {
    await at.settled();
    await at.settled("2026-03-03T13:00:00.000Z");
    expect(await at.misses(tenOClock)).toBe(1);
    expect(await at.misses("2026-03-04T15:00:00.000Z")).toBe(1);
    expect(await at.runs()).toEqual(["2026-03-03 NotReconciled", "2026-03-02 NotReconciled"]);
  });
});

describe("a run", () => {
  it.each([
    ["reconciliation", "status = 'Reconciled'"],
    ["reconciliation_item", "amount_cents = 1"],
    ["bank_statement", "closing_cents = 0"],
    ["bank_line", "amount_cents = 1"],
  ])("never changes: %s", async (table, change) => {
    await at.settled();
    await at.gets("2026-03-02", [lineOf(newId("po"), -5)]);
    const { superuser } = at.world;
    expect(await refusalOf(superuser, `update ${table} set ${change}`)).toBe("LG001 append_only");
    expect(await refusalOf(superuser, `delete from ${table}`)).toBe("LG001 append_only");
    expect(await refusalOf(superuser, `truncate ${table} cascade`)).toBe("LG001 append_only");
  });

  it("can't be written as Reconciled with an unmatched item", async () => {
    await at.settled();
    await at.gets("2026-03-02", []);
    const forged = `insert into reconciliation
      select book_id, run + 1, gen_random_uuid(), banking_date, 'Reconciled', '{}', null, ledger_cash_cents,
        sub_ledger_cents, cutoff_seq, cash_version, wallet_version, 0, 300, 0, 0, 0, 0, as_of
      from reconciliation where book_id = '${uuidOf(sampleBook)}'`;
    expect(await refusalOf(at.world.service, forged)).toMatch(/^23514 /);
  });
});

describe("the accounting equation", () => {
  it("is checked by every checkpoint: cash that is owed to nobody can't be written", async () => {
    // Without the trigger on the accounts the batch would pass. The checkpoint's trigger raises LG010, from about ten
    // class totals.
    await at.settled();
    const run = sqlOn(at.world.superuser);
    const raised = `update class_total set posted_debit = posted_debit + 1 where class = 'SettlementCash' and book_id = $1`;
    await withGuardsOff(run, "ledger", () => run(raised, [uuidOf(sampleBook)]));
    await expect(at.settled()).rejects.toMatchObject({ code: "LG010", constraint: "accounting_equation" });
  });
});
