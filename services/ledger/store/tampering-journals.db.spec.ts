import { describe, expect, it } from "vitest";
import { bookIdOf, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  attackersOf,
  discharge,
  forged as forgedOn,
  line,
  movedBack,
  movedBetween,
  pending,
} from "../../../test/ledger/rows/forged.ts";
import { refusalOf, sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { countEntry } from "../book/account.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import type { LedgerCommand } from "../book/commands.ts";
import type { Journal, JournalKind, Line } from "../book/journal.ts";
import {
  holdOf,
  inboundOf,
  lateReturnOf,
  pendingOf,
  postingOf,
  sampleBook,
  settlementOf,
} from "../../../test/ledger/commands.ts";
import { closePeriod } from "../posting/store/accounting-periods.ts";
import { createBooks } from "../posting/store/lock-books.ts";
import { appendJournals } from "../../../test/ledger/rows/append-journals.ts";

// Postgres refuses these statements by name, from the service's own role and from a superuser with psql.
const book = sampleBook;
const cash = chartAccountId(book, "SettlementCash");
const closedThrough = "2026-02-27T22:00:00.000Z";

const world = await openLedgerOfFile();
const otherTenant = newId("ten");
const otherBook = bookIdOf(otherTenant, "Test");
await world.units.units.run(({ sql }) =>
  createBooks(sql, [{ book: otherBook, tenantId: otherTenant, mode: "Test" }]),
);
const payroll = await world.opens();
const savings = await world.opens();
const strict = await world.opens({ overdraft: "Refused" });
const foreign = await world.opens({ book: otherBook });
await world.writes(postingOf([payroll, "Debit", 1_000], [savings, "Credit", 1_000]));
await closePeriod(sqlOn(world.service), book, new Date(closedThrough), "reconciled");

const forged = (kind: JournalKind, lines: Line[], more: Partial<Journal> = {}) =>
  forgedOn(sqlOn(world.superuser), kind, lines, more);

/** The settlement of a manual hold of 5 cents from payroll to savings. */
const forgedSettlement = (transactionId: Journal["transactionId"], resolves: number) =>
  forged("Settle", [...movedBack(payroll, savings, discharge), ...movedBetween(payroll, savings)], {
    transactionId,
    resolves,
  });

const debit = line(payroll, "Debit", 5);
describe.each(attackersOf(world))("%s can't append", (_who, client) => {
  const attack = async (...journals: Journal[]) => refusalOf(client, (sql) => appendJournals(sql, journals));

  it("anything on an account that is closed", async () => {
    const closed = await world.opens();
    await world.superuser.query("select close_account($1, $2)", [uuidOf(book), uuidOf(closed)]);
    for (const layer of [{}, pending]) {
      const kind = layer === pending ? "Hold" : "Post";
      const lines = movedBetween(payroll, closed, layer);
      expect(await attack(await forged(kind, lines))).toBe("LG012 entry_account_closed");
    }
  });

  it.each<[string, string, (posting: Journal) => Journal]>([
    [
      "a late entry of a stored journal",
      "LG002 entry_before_header",
      ({ entries, sequence, ...posting }) => ({
        ...posting,
        sequence: sequence - 1,
        entries: entries.map((entry) => ({ ...entry, line: entry.line + 2 })),
      }),
    ],
    [
      "a journal with a line missing",
      "LG007 journal_lines_complete",
      ({ entries: [first, second], ...posting }) => ({
        ...posting,
        entries: [first!, { ...second!, line: 3 }],
      }),
    ],
    [
      "a journal that leaves a gap",
      "LG006 journal_sequence_gap_free",
      (posting) => ({ ...posting, sequence: posting.sequence + 1 }),
    ],
  ])("%s", async (_what, refused, falsify) => {
    const posting = await forged("Post", movedBetween(payroll, savings));
    expect(await attack(falsify(posting))).toBe(refused);
  });

  it.each([
    ["a journal that does not balance", "LG005 journal_balances", [debit, line(savings, "Credit", 4)]],
    [
      "a journal that balances across layers only",
      "LG005 journal_balances",
      [debit, line(savings, "Credit", 5, pending)],
    ],
    [
      "a posting to another tenant's account",
      "LG011 entry_account_currency",
      [debit, line(foreign, "Credit", 5)],
    ],
    [
      "a posting in another currency than the account's",
      "LG011 entry_account_currency",
      movedBetween(payroll, savings, { currency: "EUR" }),
    ],
  ])("%s", async (_what, refused, lines) => {
    expect(await attack(await forged("Post", lines))).toBe(refused);
  });

  it("two journals that balance together only", async () => {
    const first = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 4)]);
    const second = await forged("Post", [line(payroll, "Debit", 4), line(strict, "Credit", 5)], {
      sequence: first.sequence + 1,
    });
    const [payrollEntry, strictEntry] = second.entries;
    const after = { ...payrollEntry!, version: payrollEntry!.version + 1 };
    const totals = countEntry(first.entries[0]!.totals, "Posted", "Normal", "Debit", 4n);
    expect(await attack(first, { ...second, entries: [{ ...after, totals }, strictEntry!] })).toBe(
      "LG005 journal_balances",
    );
  });

  it("invented running totals", async () => {
    const journal = await forged("Post", movedBetween(payroll, savings));
    const [first, second] = journal.entries;
    const richer = {
      ...second!,
      totals: { ...second!.totals, postedCredit: second!.totals.postedCredit + 1n },
    };
    expect(await attack({ ...journal, entries: [first!, richer] })).toBe("LG003 entry_running_totals");
    const skipping = { ...second!, version: second!.version + 1 };
    expect(await attack({ ...journal, entries: [first!, skipping] })).toBe("LG003 entry_running_totals");
  });

  it("a header without entries", async () => {
    const journal = await forged("Post", movedBetween(payroll, savings));
    const header = `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind,
      line_count, digest) values ($1, $2, $3, $4, now(), clock_timestamp() + interval '1 minute', 'Post', 2, $5)`;
    const values = [uuidOf(book), journal.sequence, newUuid(), newUuid(), Buffer.alloc(32)];
    expect(await refusalOf(client, (sql) => sql(header, values))).toBe("LG007 journal_lines_complete");
  });

  it("entries without a header: the commit refuses them", async () => {
    const journal = await forged("Post", movedBetween(payroll, savings));
    const insertsNoHeader = async (sql: Sql) => {
      const headerless: Sql = async (text, params) =>
        text.includes("insert into journal") ? [] : sql(text, params);
      await appendJournals(headerless, [journal]);
    };
    expect(await refusalOf(client, insertsNoHeader)).toBe("23503 entry_has_header");
  });

  it("an amount of zero, less than zero, or more than a safe integer", async () => {
    for (const cents of [0, -5, 9_007_199_254_740_992]) {
      const journal = await forged("Post", movedBetween(payroll, savings, {}, cents));
      expect(await attack(journal), String(cents)).toBe("23514 entry_amount_range");
    }
  });

  it("a hold or posting below the floor of an account that refuses overdraft", async () => {
    const hold = movedBetween(strict, cash, pending, 1);
    expect(await attack(await forged("Hold", hold))).toBe("LG004 account_floor");
    expect(await attack(await forged("Post", movedBetween(strict, payroll, {}, 1)))).toBe(
      "LG004 account_floor",
    );
  });

  it("a journal that was recorded before its predecessor", async () => {
    const journal = await forged("Post", movedBetween(payroll, savings));
    const backdated = async (sql: Sql) => {
      const early: Sql = (text, params) =>
        sql(
          text.replace(/greatest\(h.recorded_at, clock.reading\)/, "h.recorded_at - interval '1 second'"),
          params,
        );
      await appendJournals(early, [journal]);
    };
    expect(await refusalOf(client, backdated)).toBe("LG009 journal_recorded_at_rises");
  });

  it("a manual posting, hold or settlement that takes effect in a closed period", async () => {
    for (const [kind, layer] of [
      ["Post", {}],
      ["Hold", pending],
    ] as const) {
      const lines = movedBetween(payroll, savings, layer);
      expect(await attack(await forged(kind, lines, { effectiveAt: closedThrough }))).toBe(
        "LG014 journal_period_open",
      );
    }
    const held = pendingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    const settlement = await forgedSettlement(held.transactionId, await world.appends(held));
    expect(await attack({ ...settlement, effectiveAt: closedThrough })).toBe("LG014 journal_period_open");
  });

  it("a second outcome of a command", async () => {
    const order = newId("po");
    await world.appends(holdOf(order, payroll, 5));
    const attackIt = "insert into command select * from command where command_id = $1";
    expect(await refusalOf(client, (sql) => sql(attackIt, [holdOf(order, payroll, 5).commandId]))).toBe(
      "23505 command_pk",
    );
  });
});

it("a movement that the bank forces is booked in a closed period too", async () => {
  const order = newId("po");
  const forced: LedgerCommand[] = [
    { ...holdOf(order, payroll, 5), effectiveAt: closedThrough },
    { ...settlementOf(order), effectiveAt: closedThrough },
    { ...lateReturnOf(order), effectiveAt: closedThrough },
    { ...inboundOf(payroll, 5), effectiveAt: closedThrough },
  ];
  const outcomes = await world.writes(...forced);
  expect(outcomes.map(({ result }) => result)).toEqual(forced.map(() => "Appended"));
});

it("the book is still proven after all of these", async () => {
  expect(await world.faults()).toEqual([]);
});
