import pino from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { type BookId, bookIdOf, newId, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { maxLinesPerPart, type StatementPart } from "../../../contracts/messages/bank-statements.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { statementHash } from "../../../contracts/statement-hash.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { ledgerContext, summary } from "../../../test/stack/services/rails.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { IssueDueStatements, issueThrough } from "./issue-due-statements.worker.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { IssueStatementHandler } from "./issue-statement.handler.ts";
import { insertMovements } from "../instructions/store/bank-movements.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { nextStatementDueAt } from "./next-statement.ts";
import { booksWithMovements } from "./store/unreported-movements.ts";

const bank = await forThisFile(openFreshUnits("rails"));
let tenant: TenantId;
let book: BookId;
beforeEach(async () => {
  tenant = newId("ten");
  book = bookIdOf(tenant, "Test");
  await bank.takeMessages();
});

/** Books movements at the bank; a negative amount is Out. */
async function moves(at: string, ...cents: number[]): Promise<void> {
  await movesOn("Ach", at, ...cents);
}
async function movesOn(rail: Rail, at: string, ...cents: number[]): Promise<void> {
  await bank.units.run(async ({ sql }) => {
    const movements = cents.map((amount) => ({
      book,
      orderId: newId("po"),
      number: 2,
      kind: "Settlement" as const,
      side: amount < 0 ? ("Out" as const) : ("In" as const),
      amountCents: Math.abs(amount),
      reference: "791000000000001",
      occurredAt: new Date(at),
    }));
    for (const { orderId } of movements) {
      await sql("insert into instruction (order_id, book_id, rail) values ($1, $2, $3)", [
        uuidOf(orderId),
        uuidOf(book),
        rail,
      ]);
    }
    await insertMovements(sql, movements);
  });
}

const through = (day: string) => bank.units.run((unit) => issueThrough(unit, book, day));
const publishedParts = async () =>
  (await bank.takeMessages()).map(({ data }) => data as StatementPart).toSorted((a, b) => a.part - b.part);
const context = (mode: "Test" | "Live" = "Test") => ledgerContext(tenant, mode);

describe("the statement of a banking day", () => {
  it("has the movements up to midnight in New York; a weekend belongs to Monday", async () => {
    await moves("2026-03-06T15:00:00.000Z", 1_000, -300);
    await moves("2026-03-07T04:59:59.999Z", -1); // Friday's last millisecond
    await moves("2026-03-07T15:00:00.000Z", -20);
    await moves("2026-03-10T03:59:59.999Z", -4); // Monday's: clocks went forward on Sunday
    await moves("2026-03-10T04:00:00.000Z", -8);
    expect(await through("2026-03-09")).toBe(2);
    const events = (await publishedParts()).toSorted((a, b) => a.statement.number - b.statement.number);
    const [friday, monday] = events;
    expect(events.map((part) => summary(part).slice(0, 4))).toEqual([
      [1, "2026-03-06", 0, 699],
      [2, "2026-03-09", 699, 675],
    ]);
    expect(friday?.lines).toHaveLength(3);
    expect(monday?.statement).toMatchObject({
      previousStatementId: friday?.statement.id,
      endsAt: "2026-03-10T04:00:00.000Z",
    });
    expect(friday?.statement).toMatchObject({
      previousStatementId: null,
      endsAt: "2026-03-07T05:00:00.000Z",
    });
  });

  it("is issued once, and not for a day without movements", async () => {
    await moves("2026-03-02T15:00:00.000Z", 5);
    expect([await through("2026-03-02"), await through("2026-03-02"), await through("2026-03-05")]).toEqual([
      1, 0, 0,
    ]);
  });

  it("leaves a movement that arrives after it to the statement of the next day", async () => {
    await moves("2026-03-02T15:00:00.000Z", 5);
    await through("2026-03-02");
    await moves("2026-03-03T04:59:59.000Z", 7);
    await publishedParts();
    expect(await through("2026-03-02")).toBe(0);
    expect(await through("2026-03-03")).toBe(1);
    expect((await publishedParts()).map(summary)).toEqual([[2, "2026-03-03", 5, 12, [7]]]);
  });

  it("has each movement once if several instances issue at the same time", async () => {
    await moves("2026-03-02T15:00:00.000Z", 1, 2, 4);
    const issued = await Promise.all([through("2026-03-02"), through("2026-03-02"), through("2026-03-02")]);
    expect(issued.toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
    expect((await publishedParts()).map(({ statement }) => statement.closingBalanceCents)).toEqual([7]);
  });

  it("distinguishes the wallet from the settlement account", async () => {
    await movesOn("Usdc", "2026-03-02T15:00:00.000Z", -9);
    await through("2026-03-02");
    const [part] = await publishedParts();
    expect(part?.lines).toMatchObject([{ account: "StablecoinWallet", side: "Out", amountCents: 9 }]);
  });

  it("has an incoming credit, and not a refused debit", async () => {
    const transfer = (reference: string, direction: string) =>
      bank.units.run(({ sql }) =>
        sql(
          `insert into inbound_transfer (book_id, bank_reference, rail, direction, amount_cents, originator_name,
             account_key_id, account_ciphertext, occurred_at)
           values ($1, $2, 'Rtp', $3, 70, 'Blue Freight LLC', 'k1', 'ciphertext', '2026-03-02T15:00:00.000Z')`,
          [uuidOf(book), reference, direction],
        ),
      );
    await transfer("79201", "Credit");
    await transfer("79202", "Debit");
    expect(await through("2026-03-02")).toBe(1);
    const [part] = await publishedParts();
    expect(part?.lines).toMatchObject([
      { line: 1, kind: "Inbound", side: "In", amountCents: 70, reference: "79201", customerReference: null },
    ]);
  });

  it("is issued for every book with movements in either table", async () => {
    await moves("2026-03-02T15:00:00.000Z", 1);
    expect(await booksWithMovements(bank.database.sql)).toContain(book);
  });
});

describe("a book with a clock of its own", () => {
  const worker = () =>
    new IssueDueStatements(bank.database, bank.units, new Metrics("rails"), pino({ level: "silent" }));
  const setClock = (standsAt: string, sequence: number) =>
    bank.units.run(({ sql }) =>
      saveClock(sql, book, { mode: "Manual", leadMs: 0, standsAt: new Date(standsAt), sequence }),
    );
  const nextDueAt = () => bank.units.run(({ sql }) => nextStatementDueAt(sql, book));
  const issued = async () =>
    (await bank.takeMessages())
      .filter((message) => message.book === book)
      .map(({ data }) => summary(data as StatementPart).slice(0, 2));

  it("has a statement due at six o'clock after each banking day with movements, by its clock", async () => {
    await setClock("2038-02-12T23:00:00.000Z", 1);
    expect(await nextDueAt()).toBeNull();
    await moves("2038-02-12T22:00:00.000Z", 5);
    // A weekend and a holiday are of Tuesday.
    await moves("2038-02-13T15:00:00.000Z", 7);
    expect(await nextDueAt()).toEqual(new Date("2038-02-13T11:00:00.000Z"));
    const statements = worker();
    await setClock("2038-02-13T10:59:59.999Z", 2);
    await statements.tick(new Date("2026-03-02T15:00:00.000Z"));
    expect(await issued()).toEqual([]);
    await setClock("2038-02-13T11:00:00.000Z", 3);
    statements.clockMoved(book);
    await statements.tick(new Date("2026-03-02T15:00:00.001Z"));
    expect(await issued()).toEqual([[1, "2038-02-12"]]);
    expect(await nextDueAt()).toEqual(new Date("2038-02-17T11:00:00.000Z"));
    // Real time says nothing about it.
    await statements.tick(new Date("2038-03-01T15:00:00.000Z"));
    expect(await issued()).toEqual([]);
    await setClock("2038-02-17T11:00:00.000Z", 4);
    await Promise.all([statements, worker()].map((each) => each.tick(new Date("2038-03-02T15:00:00.000Z"))));
    expect(await issued()).toEqual([[2, "2038-02-16"]]);
    expect(await nextDueAt()).toEqual(new Date("2038-02-18T11:00:00.000Z"));
  });

  it("has statements without a line for seven banking days after its last movement", async () => {
    await moves("2038-02-12T22:00:00.000Z", 5);
    await setClock("2038-03-31T15:00:00.000Z", 1);
    const statements = worker();
    statements.clockMoved(book);
    await statements.tick(new Date("2026-03-02T15:00:00.000Z"));
    const days = ["12", "16", "17", "18", "19", "22", "23", "24"];
    expect(await issued()).toEqual(days.map((day, index) => [index + 1, `2038-02-${day}`]));
    expect(await nextDueAt()).toBeNull();
  });

  it("has no statements for the days of a rest, once money moves again", async () => {
    await moves("2038-02-12T22:00:00.000Z", 5);
    await setClock("2038-03-31T15:00:00.000Z", 1);
    const statements = worker();
    statements.clockMoved(book);
    await statements.tick(new Date("2026-03-02T15:00:00.000Z"));
    await moves("2038-03-31T15:00:00.000Z", 7);
    expect(await nextDueAt()).toEqual(new Date("2038-04-01T10:00:00.000Z"));
  });

  it("has on a requested statement what happened at that very moment", async () => {
    await setClock("2038-02-12T23:00:00.000Z", 1);
    await moves("2038-02-12T23:00:00.000Z", 5);
    const handler = new IssueStatementHandler(bank.units, bank.database);
    const statement = await handler.issue({ date: "2038-02-12" }, context());
    expect(summary(statement)).toEqual([1, "2038-02-12", 0, 5, [5]]);
    await moves("2038-02-12T23:00:00.000Z", 7);
    expect(summary(await handler.issue({ date: "2038-02-12" }, context()))).toEqual([
      2,
      "2038-02-12",
      5,
      12,
      [7],
    ]);
  });
});

describe("a book whose statement can't be stored", () => {
  it("does not stop the statements of other books, and gets its own once the cause is gone", async () => {
    const books: BookId[] = [];
    for (let n = 0; n < 3; n += 1) {
      book = bookIdOf(newId("ten"), "Test");
      books.push(book);
      await moves("2026-03-02T15:00:00.000Z", 5);
    }
    const [bad, ...sound] = (await booksWithMovements(bank.database.sql)).filter((one) =>
      books.includes(one),
    );
    const worker = new IssueDueStatements(
      bank.database,
      bank.units,
      new Metrics("rails"),
      pino({ level: "silent" }),
    );
    const issued = async () => {
      const messages = await bank.takeMessages();
      return messages.map((message) => message.book).filter((one) => books.includes(one));
    };
    const cure = await poisonBook(bank.adminUrl, "rails.bank_statement", bad!, "insert");
    await worker.tick(new Date("2026-03-03T12:00:00.000Z"));
    expect((await issued()).sort()).toEqual(sound.sort());
    await cure();
    await worker.tick(new Date("2026-03-03T12:01:00.000Z"));
    expect(await issued()).toEqual([bad]);
  });
});

describe("a statement with more lines than a part holds", () => {
  it("is published and read in parts, with the hash of the whole", async () => {
    await moves("2026-03-02T15:00:00.000Z", ...Array.from({ length: maxLinesPerPart * 2 + 1 }, () => 1));
    await through("2026-03-02");
    const parts = await publishedParts();
    expect(parts.map(({ part, lines }) => [part, lines.length])).toEqual([
      [1, 500],
      [2, 500],
      [3, 1],
    ]);
    const statement = parts[0]!.statement;
    const lines = parts.flatMap((part) => part.lines);
    expect(statement.hash).toBe(statementHash(book, statement, lines));
    const handler = new IssueStatementHandler(bank.units, bank.database);
    const read = await Promise.all(
      [1, 2, 3].map((part) => handler.read({ statementId: statement.id, part }, context())),
    );
    expect(read).toEqual(parts);
    const elsewhere = { ...context(), caller: { ...context().caller, book: newId("book") } };
    for (const [part, from] of [
      [4, context()],
      [1, elsewhere],
    ] as const) {
      await expect(handler.read({ statementId: statement.id, part }, from)).rejects.toMatchObject({
        code: "not_found",
      });
    }
  });
});

describe("a statement up to now", () => {
  it("is always issued, and opens with the closing balance of the one before", async () => {
    const handler = new IssueStatementHandler(bank.units, bank.database);
    // Well before now: a movement of the very millisecond at which the statement ends belongs to the next one.
    await moves(new Date(Date.now() - 1_000).toISOString(), 30);
    const parts = [];
    for (let n = 0; n < 3; n += 1) parts.push(await handler.issue({ date: "2026-03-02" }, context()));
    expect(parts.map(summary)).toEqual([
      [1, "2026-03-02", 0, 30, [30]],
      [2, "2026-03-02", 30, 30, []],
      [3, "2026-03-02", 30, 30, []],
    ]);
  });

  it("is refused for a Live book", () => {
    const handler = new IssueStatementHandler(bank.units, bank.database);
    expect(() => handler.issue({ date: "2026-03-02" }, context("Live"))).toThrow(
      expect.objectContaining({ code: "rail_not_configured" }) as Error,
    );
  });
});
