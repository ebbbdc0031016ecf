import { beforeEach, describe, expect, it } from "vitest";
import type { BookId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { idOfStatement, lineOf, messagesOf } from "../../../test/ledger/bank.ts";
import { Reconciler } from "../../../test/ledger/reconciler.ts";
import {
  lateReturnOf,
  releaseOf,
  sampleBook,
  settlementOf,
  suspensePostingOf,
} from "../../../test/ledger/commands.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { until } from "../../../test/stack/until.ts";
import { lockReconciliation } from "./store/bank-statements.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { readCalendars } from "../posting/store/accounting-periods.ts";

// Compares one tenant's book with the statements of a bank that the test plays.
let at: Reconciler;
beforeEach(async () => {
  at = await Reconciler.open();
  return () => at.close();
});
const closedThrough = async () =>
  (await readCalendars(at.world.units.database.sql, [sampleBook])).get(sampleBook)?.closedThrough;

describe("a statement that agrees", () => {
  it("makes a Reconciled run, and closes the period that it covers", async () => {
    const order = await at.settled();
    const parts = at.bank.prints("2026-03-02", [lineOf(order, -300)]);
    await at.receives(...parts);
    expect(await at.report()).toMatchObject({
      date: "2026-03-02",
      status: "Reconciled",
      statement: {
        id: idOfStatement(parts),
        hash: parts[0]?.statement.hash,
        lineCount: 1,
        endsAt: "2026-03-03T05:00:00.000Z",
      },
      openingBankBalanceCents: 0,
      closingBankBalanceCents: -300,
      ledgerCashCents: -300,
      subLedgerCents: -300,
      cutoffSequence: 2,
      inTransitCents: 0,
      differenceCents: 0,
      matchedCount: 1,
    });
    expect(await closedThrough()).toEqual(new Date("2026-03-03T05:00:00.000Z"));
  });

  it("locks its book's head only when all statements of its batch are compared", async () => {
    const own = messagesOf(at.bank.prints("2026-03-02", [lineOf(await at.settled(), -300)]));
    // A statement of which a part is still missing, of a book that comes later in the batch's order.
    const other = "book_7zzzzzzzzzzzzzzzzzzzzzzzzz" as BookId;
    const part = { ...own[0]!, book: other, data: { ...own[0]!.data, parts: 2 } };
    const { units, database } = at.world.units;
    let received: Promise<void> | undefined;
    await units.run(async ({ sql }) => {
      await lockReconciliation(sql, other);
      received = at.receivesTogether([...own, part]);
      await until("the batch to wait for the other book", async () => {
        const rows = await database.sql(
          `select from pg_locks
           where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return rows.length > 0;
      });
      await units.run((unit) => lockBooks(unit.sql, [sampleBook]));
    });
    await received;
    expect(await at.runs()).toEqual(["2026-03-02 Reconciled"]);
    expect(await closedThrough()).toEqual(new Date("2026-03-03T05:00:00.000Z"));
  });

  it("makes one run, however often it arrives", async () => {
    const parts = at.bank.prints("2026-03-02", [lineOf(await at.settled(), -300)]);
    await at.receives(...parts, ...parts);
    await at.receives(...parts);
    expect([await at.countOf("reconciliation"), await at.countOf("bank_statement")]).toEqual([1, 1]);
  });

  it("is compared once all parts have arrived, in any order", async () => {
    const orders: PaymentOrderId[] = [];
    for (let n = 0; n < 3; n += 1) orders.push(await at.settled());
    const fees = Array.from({ length: 1_000 }, () => lineOf(null, 1, { reference: "X" }));
    const back = Array.from({ length: 1_000 }, () => lineOf(null, -1, { reference: "X" }));
    const lines = [...orders.map((order) => lineOf(order, -300)), ...fees, ...back];
    const parts = at.bank.prints("2026-03-02", lines);
    expect(parts).toHaveLength(5);
    await at.receives(...parts.slice(1).toReversed());
    expect(await at.countOf("reconciliation")).toBe(0);
    await at.receives(...parts.slice(0, 1));
    expect(await at.report()).toMatchObject({ status: "Reconciled", matchedCount: 2_003 });
    expect(await at.countOf("statement_part")).toBe(0);
  });

  it("waits for the previous one, and then both are compared in order", async () => {
    const [first, second] = [
      at.bank.prints("2026-03-02", [lineOf(await at.settled(), -300)]),
      at.bank.prints("2026-03-03", []),
    ];
    await at.receives(...second);
    expect(await at.countOf("reconciliation")).toBe(0);
    await at.receives(...first);
    expect(await at.runs()).toEqual(["2026-03-03 Reconciled", "2026-03-02 Reconciled"]);
  });

  it("matches postings to Suspense and late returns", async () => {
    const order = await at.settled();
    await at.world.writes(lateReturnOf(order));
    await at.world.writes(suspensePostingOf(order, 300, { movement: "Return" }));
    const back = lineOf(order, 300, { kind: "Return" });
    await at.gets("2026-03-02", [lineOf(order, -300), back, back]);
    expect(await at.report()).toMatchObject({ status: "Reconciled", matchedCount: 3, differenceCents: 0 });
  });
});

describe("a movement on one side only", () => {
  it("is in transit while the order is held, and matched once the ledger has settled it", async () => {
    const order = await at.held();
    await at.gets("2026-03-02", [lineOf(order, -300)]);
    expect(await at.report()).toMatchObject({
      status: "Reconciled",
      inTransitCents: -300,
      differenceCents: 0,
      inTransit: [{ source: "BankLine", reason: "NotYetBooked", paymentOrderId: order, amountCents: 300 }],
    });
    await at.world.writes(settlementOf(order));
    await at.gets("2026-03-03", []);
    expect(await at.report()).toMatchObject({ status: "Reconciled", inTransitCount: 0, matchedCount: 1 });
  });

  it("matches the bank's settlement with its own return once the hold is released", async () => {
    const order = await at.held();
    await at.gets("2026-03-02", [lineOf(order, -300)]);
    await at.world.writes(releaseOf(order));
    const back = lineOf(order, 300, { kind: "Return", occurredAt: "2026-03-03T15:00:00.000Z" });
    await at.gets("2026-03-03", [back]);
    expect(await at.report()).toMatchObject({ status: "Reconciled", matchedCount: 2, inTransitCount: 0 });
  });

  it("is in transit if its hold was released after the statement's end, until the next one has the return", async () => {
    const order = await at.held();
    await at.world.writes(releaseOf(order, "2026-03-03T05:00:00.000Z"));
    await at.gets("2026-03-02", [lineOf(order, -300)]);
    expect(await at.report()).toMatchObject({ status: "Reconciled", inTransitCents: -300 });
    const back = lineOf(order, 300, { kind: "Return", occurredAt: "2026-03-03T05:00:00.000Z" });
    await at.gets("2026-03-03", [back]);
    expect(await at.report()).toMatchObject({ status: "Reconciled", matchedCount: 2, inTransitCount: 0 });
  });

  it("is unmatched if its hold was released after the statement's end, and the next one has no return", async () => {
    const order = await at.held();
    await at.world.writes(releaseOf(order, "2026-03-03T05:00:00.000Z"));
    await at.gets("2026-03-02", [lineOf(order, -300)]);
    await at.gets("2026-03-03", []);
    expect(await at.report()).toMatchObject({ status: "Broken", reasons: ["UnmatchedBankLines"] });
  });

  it("is unmatched once its hold was released", async () => {
    const order = await at.held();
    await at.world.writes(releaseOf(order));
    await at.gets("2026-03-02", [lineOf(order, -300)]);
    expect(await at.report()).toMatchObject({
      status: "Broken",
      reasons: ["UnmatchedBankLines"],
      differenceCents: -300,
      unmatchedBankLines: [{ paymentOrderId: order, reason: "NoLedgerEntry", ageBankingDays: 0 }],
    });
    expect(await closedThrough()).toBeNull();
  });

  it("is in transit if the ledger's entry takes effect after the statement's end", async () => {
    const order = await at.settled("2026-03-03T15:00:00.000Z");
    await at.gets("2026-03-02", []);
    expect(await at.report()).toMatchObject({
      status: "Reconciled",
      inTransitCents: 300,
      inTransit: [{ source: "LedgerEntry", reason: "NotYetAtBank", sequence: 2, kind: "Settle" }],
    });
    const line = lineOf(order, -300, { occurredAt: "2026-03-03T15:00:00.000Z" });
    await at.gets("2026-03-03", [line]);
    expect(await at.report()).toMatchObject({ status: "Reconciled", inTransitCount: 0, matchedCount: 1 });
  });

  it("is listed with its age in every run until the bank's line arrives", async () => {
    const order = await at.settled();
    const missing = { paymentOrderId: order, reason: "NoBankLine", firstSeen: "2026-03-02" };
    await at.gets("2026-03-02", []);
    expect(await at.report()).toMatchObject({
      status: "Broken",
      differenceCents: 300,
      unmatchedLedgerEntries: [{ ...missing, ageBankingDays: 0 }],
    });
    await at.gets("2026-03-06", []);
    expect(await at.report()).toMatchObject({ unmatchedLedgerEntries: [{ ...missing, ageBankingDays: 4 }] });
    await at.gets("2026-03-09", []);
    expect(await at.report()).toMatchObject({ unmatchedLedgerEntries: [{ ...missing, ageBankingDays: 5 }] });
    await at.gets("2026-03-10", [lineOf(order, -300)]);
    expect(await at.report()).toMatchObject({ status: "Reconciled", unmatchedLedgerEntryCount: 0 });
  });

  it("logs an error for an operator when a run is Broken", async () => {
    const { registry } = at.metrics;
    const broken = 'quittance_reconciliation_runs_total{status="Broken",service="ledger"}';
    expect(await registry.metrics()).toContain(`${broken} 0`);
    await at.settled();
    await at.gets("2026-03-02", []);
    await at.gets("2026-03-03", []);
    expect(await registry.metrics()).toContain(`${broken} 2`);
  });
});

describe("a statement that opens with another balance than the last one closed with", () => {
  it("gives that reason, and runs stay Broken until the bank has corrected it", async () => {
    await at.gets("2026-03-02", []);
    await at.gets("2026-03-03", [], {
      openingBalanceCents: 77,
      closingBalanceCents: 77,
    });
    expect(await at.report()).toMatchObject({
      status: "Broken",
      reasons: ["OpeningDiffersFromPreviousClosing"],
      differenceCents: 77,
    });
    await at.gets("2026-03-06", []);
    expect(await at.report()).toMatchObject({
      status: "Broken",
      reasons: ["TotalsDiffer"],
      differenceCents: 77,
    });
  });
});

describe("a run on request", () => {
  it("compares the book with the statement that the bank issues", async () => {
    const line = lineOf(await at.settled(), -300);
    const run = await at.requestsRun(async () => at.bank.prints("2026-03-02", [line]));
    expect(run).toMatchObject({ status: "Reconciled", matchedCount: 1 });
    expect(run).toEqual(await at.report());
  });

  it("holds no lock and no transaction while the bank answers", async () => {
    const run = await at.requestsRun(async () => {
      await at.world.units.units.run(async ({ sql }) => {
        await lockReconciliation(sql, sampleBook);
        await lockBooks(sql, [sampleBook]);
        const [others] = await sql<{ count: bigint }>(
          `select count(*) as count from pg_stat_activity
           where state like 'idle in transaction%' and datname = current_database() and pid <> pg_backend_pid()`,
        );
        expect(others?.count).toBe(0n);
      });
      return at.bank.prints("2026-03-02", []);
    });
    expect(run.status).toBe("Reconciled");
  });

  it("is the existing run if its statement arrived by itself in the meantime", async () => {
    const line = lineOf(await at.settled(), -300);
    const run = await at.requestsRun(async () => {
      const parts = at.bank.prints("2026-03-02", [line]);
      await at.receives(...parts);
      return parts;
    });
    expect(run).toEqual(await at.report());
    expect(await at.countOf("reconciliation")).toBe(1);
  });

  it("continues from a run that read the ledger later, and counts nothing twice", async () => {
    await at.requestsRun(async () => {
      const line = lineOf(await at.settled(), -300);
      await at.gets("2026-03-02", [line]);
      return at.bank.prints("2026-03-03", []);
    });
    expect(await at.report()).toMatchObject({ status: "Reconciled", matchedCount: 0 });
    await at.gets("2026-03-06", []);
    expect(await at.report()).toMatchObject({ status: "Reconciled", matchedCount: 0, inTransitCount: 0 });
  });

  it("asks the bank once per Idempotency-Key, and stores nothing if the bank refuses", async () => {
    const isAway = () => Promise.reject(new Refusal("service_unavailable", "Nobody is there."));
    await expect(at.requestsRun(isAway, "key-1")).rejects.toMatchObject({ code: "service_unavailable" });
    expect(await at.countOf("reconciliation")).toBe(0);
    const run = await at.requestsRun(async () => at.bank.prints("2026-03-02", []), "key-1");
    expect(await at.requestsRun(isAway, "key-1")).toEqual(run);
  });
});
