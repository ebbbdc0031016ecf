import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, bookIdOf, newId, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { StatementPart } from "../../../contracts/messages/bank-statements.ts";
import { statementHash } from "../../../contracts/statement-hash.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import { openUnits, type TestUnits } from "../../../test/stack/units.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";
import { IssueStatement, issueStatement } from "../statements/issue-statement.handler.ts";
import { SpoilStatements } from "./inject-statement-errors.handler.ts";
import { insertMovements } from "../instructions/store/bank-movements.ts";

// The bank's mistakes on the statements of one book, on a real Postgres.
let database: TestDatabase | undefined;
let bank: TestUnits;
let tenant: TenantId;
let book: BookId;
beforeEach(async () => {
  if (database === undefined) {
    database = await createDatabase("rails");
    bank = await openUnits(database.urlOf("rails"));
  }
  tenant = newId("ten");
  book = bookIdOf(tenant, "Test");
});
afterAll(async () => {
  await bank.close();
  await database?.drop();
});

/** 40 cents went out. */
async function paid(): Promise<void> {
  const orderId = newId("po");
  await bank.units.run(async ({ sql }) => {
    await sql("insert into instruction (order_id, book_id, rail) values ($1, $2, 'Ach')", [
      uuidOf(orderId),
      uuidOf(book),
    ]);
    const movement = { book, orderId, number: 2, kind: "Settlement", side: "Out", amountCents: 40 } as const;
    const occurredAt = new Date("2026-03-02T15:00:00.000Z");
    await insertMovements(sql, [{ ...movement, reference: "791000000000001", occurredAt }]);
  });
}

const summary = ({ statement, lines }: StatementPart) => [
  statement.number,
  statement.date,
  statement.openingBalanceCents,
  statement.closingBalanceCents,
  lines.map(({ side, amountCents }) => (side === "In" ? amountCents : -amountCents)),
];
const ask = (mode: "Test" | "Live" = "Test"): RequestContext => ({
  caller: { book, tenant, mode, principal: "ledger", requestId: "req_1" },
  correlationid: "req_1",
});
const fresh = <T>(answer: T | IdempotentReplay<T>): T =>
  answer instanceof IdempotentReplay ? answer.value : answer;

describe("a fault", () => {
  const known = newId("po");
  // Orders' answer to GetOrder; the whole way over NATS is a journey's affair.
  const orders = {
    ask: (_type: unknown, _from: unknown, { id }: { id: string }) =>
      id === known
        ? Promise.resolve({ value: { id }, replayed: false })
        : Promise.reject(new Refusal("not_found", "There is no such payment order.")),
  };
  const faults = () => new SpoilStatements(orders as unknown as RpcClient, bank.units, bank.database);
  const issue = async () => {
    const wish = { date: "2026-03-02", endsAt: new Date() };
    const [part] = await bank.units.run((unit) => issueStatement(unit, book, wish));
    return part;
  };

  it("is printed on the next statement, and put right on the one behind the correction", async () => {
    await paid();
    const { id } = fresh(await faults().create({ kind: "LineMissing" }, ask()));
    expect(summary(await issue())).toEqual([1, "2026-03-02", 0, 0, []]);
    expect(summary(await issue())).toEqual([2, "2026-03-02", 0, 0, []]);
    expect(await faults().get({ id }, ask())).toMatchObject({ status: "Printed" });
    expect(fresh(await faults().correct({ id }, ask()))).toMatchObject({ status: "Correcting" });
    expect(summary(await issue())).toEqual([3, "2026-03-02", 0, -40, [-40]]);
    expect(await faults().get({ id }, ask())).toMatchObject({ status: "Corrected" });
    expect(summary(await issue())).toEqual([4, "2026-03-02", -40, -40, []]);
  });

  it("is dropped when it is corrected before it was printed", async () => {
    await paid();
    const { id } = fresh(await faults().create({ kind: "AmountChanged", amountCents: 41 }, ask()));
    expect(fresh(await faults().correct({ id }, ask()))).toMatchObject({ status: "Corrected" });
    expect(summary(await issue())).toEqual([1, "2026-03-02", 0, -40, [-40]]);
  });

  it.each([
    [{ orderId: known }, { orderId: known }],
    [{ bankReference: "79103" }, { bankReference: "79103" }],
    [{}, { bankReference: "791000000000001" }],
  ])("of %j is open: a second of %j is refused until the first is corrected", async (first, second) => {
    await paid();
    const { id } = fresh(await faults().create({ kind: "LineMissing", ...first }, ask()));
    await issue();
    const again = () => faults().create({ kind: "AmountChanged", amountCents: 41, ...second }, ask());
    await expect(again()).rejects.toMatchObject({
      code: "simulation_not_applicable",
      context: { resourceId: id },
    });
    await faults().create({ kind: "LineAdded", amountCents: 1, ...second }, ask());
    await faults().correct({ id }, ask());
    await issue();
    expect(fresh(await again())).toMatchObject({ status: "Waiting" });
  });

  it("is refused for an order that is not the book's", async () => {
    const made = faults().create({ kind: "LineMissing", orderId: newId("po") }, ask());
    await expect(made).rejects.toMatchObject({ code: "not_found", errors: [{ pointer: "/orderId" }] });
  });

  it("of the hash is told, not printed", async () => {
    await faults().create({ kind: "WrongHash" }, ask());
    const part = await issue();
    expect(part.statement.hash).toBe("0".repeat(64));
    const asked = new IssueStatement(bank.units, bank.database);
    const { statement } = await asked.read({ statementId: part.statement.id, part: 1 }, ask());
    expect(statement.hash).toBe(statementHash(book, statement, []));
  });

  it("needs its amount, a Test book, and a book that has it", async () => {
    await expect(faults().create({ kind: "LineAdded" }, ask())).rejects.toMatchObject({
      code: "missing_field",
    });
    await expect(faults().create({ kind: "WrongHash" }, ask("Live"))).rejects.toMatchObject({
      code: "simulation_requires_test_key",
    });
    const { id } = fresh(await faults().create({ kind: "WrongHash" }, ask()));
    const elsewhere = { ...ask(), caller: { ...ask().caller, book: newId("book") } };
    await expect(faults().get({ id }, elsewhere)).rejects.toMatchObject({ code: "not_found" });
    await expect(faults().correct({ id }, elsewhere)).rejects.toMatchObject({ code: "not_found" });
    expect(await faults().list({ limit: 5 }, elsewhere)).toMatchObject({ data: [], hasMore: false });
  });
});
