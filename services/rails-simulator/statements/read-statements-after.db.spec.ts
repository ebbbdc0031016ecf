import { beforeEach, describe, expect, it } from "vitest";
import { type BookId, bookIdOf, newId, type TenantId } from "../../../contracts/ids/ids.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { ledgerContext } from "../../../test/stack/services/rails.ts";
import { IssueStatementHandler } from "./issue-statement.handler.ts";
import { insertStatement } from "./store/bank-statements.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const handler = new IssueStatementHandler(bank.units, bank.database);
let tenant: TenantId;
let book: BookId;
beforeEach(() => {
  tenant = newId("ten");
  book = bookIdOf(tenant, "Test");
});

/** Stores statements with these numbers of lines, each of one cent. */
async function hasStatements(...lineCounts: number[]): Promise<void> {
  for (const [index, lineCount] of lineCounts.entries()) {
    const endsAt = new Date(Date.parse("2026-03-03T05:00:00.000Z") + index).toISOString();
    const header = {
      id: newId("stm"),
      number: index + 1,
      date: "2026-03-02",
      previousStatementId: null,
      endsAt,
      openingBalanceCents: 0,
      closingBalanceCents: lineCount,
      lineCount,
      hash: "0".repeat(64),
    };
    const lines = Array.from({ length: lineCount }, (_, line) => ({
      line: line + 1,
      account: "SettlementCash" as const,
      side: "In" as const,
      amountCents: 1,
      reference: `${index + 1}-${line + 1}`,
      customerReference: null,
      kind: "Inbound" as const,
      occurredAt: "2026-03-02T15:00:00.000Z",
    }));
    const sources = lines.map(({ reference }) => reference);
    await bank.units.run(({ sql }) => insertStatement(sql, book, header, lines, sources));
  }
}

/** Each as its number, its parts, and its first and last line. */
async function readAfter(number: number, from = ledgerContext(tenant, "Test")) {
  const { firstParts } = await handler.readAfter({ number }, from);
  return firstParts.map(({ statement, part, parts, lines }) =>
    [statement.number, `${part}/${parts}`, lines.at(0)?.reference, lines.at(-1)?.reference].join(" "),
  );
}

describe("the statements after one", () => {
  it("are read 21 at a time, oldest first", async () => {
    await hasStatements(...Array.from({ length: 43 }, () => 0));
    const numbers = async (after: number) => (await readAfter(after)).map((part) => Number.parseInt(part));
    expect(await numbers(0)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
    expect(await numbers(21)).toEqual(Array.from({ length: 21 }, (_, index) => index + 22));
    expect(await numbers(42)).toEqual([43]);
    expect(await numbers(43)).toEqual([]);
  });

  it("are read with at most 500 lines in all, but the oldest in any case", async () => {
    await hasStatements(2, 498, 1, 501, 3);
    expect(await readAfter(0)).toEqual(["1 1/1 1-1 1-2", "2 1/1 2-1 2-498"]);
    expect(await readAfter(2)).toEqual(["3 1/1 3-1 3-1"]);
    expect(await readAfter(3)).toEqual(["4 1/2 4-1 4-500"]);
    expect(await readAfter(4)).toEqual(["5 1/1 5-1 5-3"]);
  });

  it("are those of the caller's book", async () => {
    await hasStatements(1);
    expect(await readAfter(0, ledgerContext(newId("ten"), "Test"))).toEqual([]);
  });
});
