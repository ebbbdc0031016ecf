import { Refusal } from "../../../../contracts/errors.ts";
import {
  maxCsvLines,
  type Statement,
  type StatementQuery,
} from "../../../../contracts/http/ledger/statements.ts";
import { weightsOf } from "../../http/domain/weights.ts";
import { type CsvField, csvOf } from "./csv.ts";

/** Lines per request: with long descriptions too, a page fits a message. */
const linesPerRequest = 500;

const header = [
  "effectiveDate",
  "kind",
  "debitCents",
  "creditCents",
  "balanceCents",
  "description",
  "externalId",
  "effectiveAt",
  "createdAt",
  "entryId",
  "transactionId",
  "paymentOrderId",
  "sequence",
] as const;

/** True if the caller prefers CSV to JSON (RFC 9110, 12.5.1). With equal weights, only if it names CSV alone. */
export function wantsCsv(accept: string | undefined): boolean {
  const weights = weightsOf(accept);
  const weightOf = (type: string, ofItsKind: string) =>
    weights.get(type) ?? weights.get(ofItsKind) ?? weights.get("*/*") ?? 0;
  const [csv, json] = [weightOf("text/csv", "text/*"), weightOf("application/json", "application/*")];
  const namesCsvAlone = weights.has("text/csv") && !weights.has("application/json");
  return csv > json || (csv === json && csv > 0 && namesCsvAlone);
}

/**
 * A whole statement as CSV, between a row with the opening and one with the closing balance, in cents. It is complete
 * or refused, never cut off: nothing in a CSV file would show that. Refusals: `invalid_field` for a cursor, or for more
 * than 10,000 lines.
 */
export async function statementFile(
  query: StatementQuery,
  read: (query: StatementQuery) => Promise<Statement>,
): Promise<string> {
  if (query.cursor !== undefined) {
    throw refused(
      "cursor",
      "A CSV file holds the whole statement. Leave the cursor out, or accept application/json.",
    );
  }
  const { from, to } = query;
  const wanted = { from, to, limit: linesPerRequest };
  let page = await read(wanted);
  const parts = [
    csvOf([header, balanceRow(from, "OpeningBalance", page.openingBalanceCents), ...rowsOf(page)]),
  ];
  for (let lines = page.data.length; page.nextCursor !== null; lines += page.data.length) {
    if (lines >= maxCsvLines) {
      const most = String(maxCsvLines);
      throw refused("to", `A CSV file holds at most ${most} lines. Send fewer days, or page through JSON.`);
    }
    page = await read({
      ...wanted,
      limit: Math.min(linesPerRequest, maxCsvLines - lines),
      cursor: page.nextCursor,
    });
    parts.push(csvOf(rowsOf(page)));
  }
  parts.push(csvOf([balanceRow(to, "ClosingBalance", page.closingBalanceCents)]));
  return parts.join("");
}

function balanceRow(day: string, kind: string, cents: number): CsvField[] {
  return header.map((column) =>
    column === "effectiveDate" ? day : column === "kind" ? kind : column === "balanceCents" ? cents : null,
  );
}

function rowsOf({ data }: Statement): CsvField[][] {
  return data.map((line) => [
    line.effectiveDate,
    line.kind,
    line.direction === "Debit" ? line.amountCents : null,
    line.direction === "Credit" ? line.amountCents : null,
    line.balanceCents,
    line.description,
    line.externalId,
    line.effectiveAt,
    line.createdAt,
    line.entryId,
    line.transactionId,
    line.paymentOrderId,
    line.sequence,
  ]);
}

function refused(parameter: string, detail: string): Refusal {
  return new Refusal("invalid_field", detail, {
    errors: [{ pointer: `?${parameter}`, code: "invalid_field", message: "can't be answered as text/csv" }],
  });
}
