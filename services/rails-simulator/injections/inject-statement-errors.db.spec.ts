import { beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, bookIdOf, newId, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { statementHash } from "../../../contracts/statement-hash.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { ledgerContext, summary } from "../../../test/stack/services/rails.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { IdempotentReplay } from "../../platform/handlers/decorators.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";
import { IssueStatementHandler, issueStatement } from "../statements/issue-statement.handler.ts";
import { InjectStatementErrors } from "./inject-statement-errors.handler.ts";
import { insertMovements } from "../instructions/store/bank-movements.ts";

const bank = await forThisFile(openFreshUnits("rails"));
let tenant: TenantId;
let book: BookId;
beforeEach(() => {
  tenant = newId("ten");
  book = bookIdOf(tenant, "Test");
});

/** Books 40 cents that went out. */
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

const context = (mode: "Test" | "Live" = "Test") => ledgerContext(tenant, mode);
const valueOf = <T>(answer: T | IdempotentReplay<T>): T =>
  answer instanceof IdempotentReplay ? answer.value : answer;

describe("a statement error", () => {
  const known = newId("po");
  // Stands in for orders, which answers GetOrder.
  const orders = {
    request: (_type: unknown, _from: unknown, { id }: { id: string }) =>
      id === known
        ? Promise.resolve({ value: { id }, replayed: false })
        : Promise.reject(new Refusal("not_found", "There is no such payment order.")),
  };
  const handler = () => new InjectStatementErrors(orders as unknown as RpcClient, bank.units, bank.database);
  const issue = async () => {
    const request = { date: "2026-03-02", endsAt: new Date() };
    const [part] = await bank.units.run((unit) => issueStatement(unit, book, request));
    return part;
  };

  it("is printed on the next statement, and corrected on the first one after the correction was requested", async () => {
    await paid();
    const { id } = valueOf(await handler().create({ kind: "LineMissing" }, context()));
    expect(summary(await issue())).toEqual([1, "2026-03-02", 0, 0, []]);
    expect(summary(await issue())).toEqual([2, "2026-03-02", 0, 0, []]);
    expect(await handler().get({ id }, context())).toMatchObject({ status: "Printed" });
    expect(valueOf(await handler().correct({ id }, context()))).toMatchObject({ status: "Correcting" });
    expect(summary(await issue())).toEqual([3, "2026-03-02", 0, -40, [-40]]);
    expect(await handler().get({ id }, context())).toMatchObject({ status: "Corrected" });
    expect(summary(await issue())).toEqual([4, "2026-03-02", -40, -40, []]);
  });

  it("is never printed if it is corrected before", async () => {
    await paid();
    const { id } = valueOf(await handler().create({ kind: "AmountChanged", amountCents: 41 }, context()));
    expect(valueOf(await handler().correct({ id }, context()))).toMatchObject({ status: "Corrected" });
    expect(summary(await issue())).toEqual([1, "2026-03-02", 0, -40, [-40]]);
  });

  it.each([
    [{ orderId: known }, { orderId: known }, "/orderId"],
    [{ bankReference: "79103" }, { bankReference: "79103" }, "/bankReference"],
    [{}, { bankReference: "791000000000001" }, "/bankReference"],
  ])(
    "in the line of %j prevents a second one of %j until it is corrected",
    async (first, second, pointer) => {
      await paid();
      const { id } = valueOf(await handler().create({ kind: "LineMissing", ...first }, context()));
      await issue();
      const again = () => handler().create({ kind: "AmountChanged", amountCents: 41, ...second }, context());
      await expect(again()).rejects.toMatchObject({
        code: "simulation_not_applicable",
        context: { resourceId: id },
        errors: [{ pointer }],
      });
      await handler().create({ kind: "LineAdded", amountCents: 1, ...second }, context());
      await handler().correct({ id }, context());
      await issue();
      expect(valueOf(await again())).toMatchObject({ status: "Waiting" });
    },
  );

  it("is refused for an order of another book", async () => {
    const created = handler().create({ kind: "LineMissing", orderId: newId("po") }, context());
    await expect(created).rejects.toMatchObject({ code: "not_found", errors: [{ pointer: "/orderId" }] });
  });

  it.each([
    [{ kind: "LineMissing", amountCents: 40 }, "/amountCents"],
    [{ kind: "LineMissing", side: "In" }, "/side"],
    [{ kind: "AmountChanged", amountCents: 41, side: "In" }, "/side"],
    [{ kind: "WrongHash", bankReference: "79103" }, "/bankReference"],
    [{ kind: "WrongHash", orderId: known }, "/orderId"],
  ] as const)("is refused with what it can't have: %j", async (request, pointer) => {
    await expect(handler().create(request, context())).rejects.toMatchObject({
      code: "invalid_field",
      errors: [{ pointer }],
    });
    expect(await handler().list({ limit: 5 }, context())).toMatchObject({ data: [] });
  });

  it("in the hash is published, not stored", async () => {
    await handler().create({ kind: "WrongHash" }, context());
    const part = await issue();
    expect(part.statement.hash).toBe("0".repeat(64));
    const statements = new IssueStatementHandler(bank.units, bank.database);
    const { statement } = await statements.read({ statementId: part.statement.id, part: 1 }, context());
    expect(statement.hash).toBe(statementHash(book, statement, []));
  });

  it("needs an amount and a Test book, and is found only in its own book", async () => {
    await expect(handler().create({ kind: "LineAdded" }, context())).rejects.toMatchObject({
      code: "missing_field",
    });
    await expect(handler().create({ kind: "WrongHash" }, context("Live"))).rejects.toMatchObject({
      code: "simulation_requires_test_key",
    });
    const { id } = valueOf(await handler().create({ kind: "WrongHash" }, context()));
    const elsewhere = { ...context(), caller: { ...context().caller, book: newId("book") } };
    await expect(handler().get({ id }, elsewhere)).rejects.toMatchObject({ code: "not_found" });
    await expect(handler().correct({ id }, elsewhere)).rejects.toMatchObject({ code: "not_found" });
    expect(await handler().list({ limit: 5 }, elsewhere)).toMatchObject({ data: [], hasMore: false });
  });
});
