import { describe, expect, it } from "vitest";
import { ids } from "../../../../contracts/http/examples/ids.ts";
import { ledgerAccountExamples } from "../../../../contracts/http/examples/ledger-accounts.ts";
import type { Statement, StatementQuery } from "../../../../contracts/http/ledger/statements.ts";
import { Refusal } from "../../../../contracts/errors.ts";
import { statementFile, wantsCsv } from "./statement-file.ts";

const page: Statement = ledgerAccountExamples.LedgerAccountStatement;
const [line] = page.data;
const query: StatementQuery = { from: "2026-03-02", to: "2026-03-02", limit: 25 };

/** A statement of so many lines, in pages of `limit` as ledger sends them. */
function ledgerWith(lines: number) {
  const asked: StatementQuery[] = [];
  const read = (one: StatementQuery): Promise<Statement> => {
    asked.push(one);
    const start = Number(one.cursor ?? 0);
    const data = Array.from({ length: Math.min(one.limit, lines - start) }, () => line!);
    const end = start + data.length;
    return Promise.resolve({
      ...page,
      data,
      hasMore: end < lines,
      nextCursor: end < lines ? String(end) : null,
    });
  };
  return { asked, read };
}
const faultOf = (file: Promise<string>) =>
  file.then(
    () => "nobody refused it",
    (error: Refusal) => [error.code, error.errors?.[0]?.pointer],
  );

describe("a statement as a file", () => {
  it("has the opening balance, a row for each line with its cents, and the closing balance", async () => {
    const text = { ...line!, description: "=cmd|' /C calc'!A0", externalId: "a,b" };
    const read = () => Promise.resolve({ ...page, data: [text] });
    expect(await statementFile(query, read)).toBe(
      [
        "effectiveDate,kind,debitCents,creditCents,balanceCents,description,externalId,effectiveAt,createdAt,entryId,transactionId,paymentOrderId,sequence",
        "2026-03-02,OpeningBalance,,,901000,,,,,,,,",
        `2026-03-02,Settle,1000,,900000,"'=cmd|' /C calc'!A0","a,b",2026-03-02T15:00:00.031Z,2026-03-02T15:00:00.031Z,${ids.holdEntry},${ids.transaction},${ids.order},12`,
        "2026-03-02,ClosingBalance,,,900000,,,,,,,,",
        "",
      ].join("\r\n"),
    );
  });

  it("reads page after page until the statement ends", async () => {
    const { asked, read } = ledgerWith(1_001);
    const file = await statementFile({ ...query, limit: 1 }, read);
    expect(file.split("\r\n")).toHaveLength(1_001 + 4);
    expect(asked.map(({ limit, cursor }) => [limit, cursor])).toEqual([
      [500, undefined],
      [500, "500"],
      [500, "1000"],
    ]);
  });

  it("is complete with 10,000 lines, and refused with more before it reads them all", async () => {
    expect((await statementFile(query, ledgerWith(10_000).read)).split("\r\n")).toHaveLength(10_004);
    const { asked, read } = ledgerWith(1_000_000);
    expect(await faultOf(statementFile(query, read))).toEqual(["invalid_field", "?to"]);
    expect(asked).toHaveLength(20);
  });

  it("takes no cursor", async () => {
    const file = statementFile({ ...query, cursor: "500" }, ledgerWith(1).read);
    expect(await faultOf(file)).toEqual(["invalid_field", "?cursor"]);
  });
});

it.each([
  ["text/csv", true],
  ["text/csv; header=present, text/plain;q=0.5", true],
  ["TEXT/CSV", true],
  ["application/json, text/csv", false],
  ["text/csv, application/json;q=0.1", true],
  ["text/csv;q=0.1, application/json", false],
  ["text/csv;q=0", false],
  ["text/csv; header=present; q=0.0", false],
  ["text/csv;q=0, */*", false],
  ["text/csv, */*", true],
  ["text/*, application/json;q=0.5", true],
  ["text/csv;q=2", false],
  ["*/*", false],
  [undefined, false],
])("Accept: %s asks for CSV: %s", (accept, asked) => {
  expect(wantsCsv(accept)).toBe(asked);
});
