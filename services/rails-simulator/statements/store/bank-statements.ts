import { type BankStatementId, type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { StatementHeader, StatementLine } from "../../../../contracts/messages/bank-statements.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

interface HeaderRow {
  number: number;
  statement_id: string;
  date: string;
  ends_at: Date;
  opening_cents: bigint;
  closing_cents: bigint;
  line_count: number;
  hash: string;
  previous_id: string | null;
}

const headerColumns = `s.number, s.statement_id, s.banking_date::text as date, s.ends_at, s.opening_cents,
  s.closing_cents, s.line_count, s.hash,
  (select p.statement_id from bank_statement p where p.book_id = s.book_id and p.number = s.number - 1) as previous_id`;

function toHeader(row: HeaderRow): StatementHeader {
  return {
    id: idOf("stm", row.statement_id),
    number: row.number,
    date: row.date,
    previousStatementId: row.previous_id === null ? null : idOf("stm", row.previous_id),
    endsAt: row.ends_at.toISOString(),
    openingBalanceCents: Number(row.opening_cents),
    closingBalanceCents: Number(row.closing_cents),
    lineCount: row.line_count,
    hash: row.hash,
  };
}

/** Locks a book's statements until the end of the transaction: one issuer at a time. */
export async function lockStatements(sql: Sql, book: BookId): Promise<void> {
  await sql("select pg_advisory_xact_lock(hashtextextended($1, 4))", [uuidOf(book)]);
}

/** The newest statement of a book, or undefined if it has none. */
export async function readLastStatement(sql: Sql, book: BookId): Promise<StatementHeader | undefined> {
  const [row] = await sql<HeaderRow>(
    `select ${headerColumns}
     from bank_statement s
     where s.book_id = $1
     order by s.number desc
     limit 1`,
    [uuidOf(book)],
  );
  return row === undefined ? undefined : toHeader(row);
}

/** One statement of the book, or undefined. */
export async function readStatement(
  sql: Sql,
  book: BookId,
  id: BankStatementId,
): Promise<StatementHeader | undefined> {
  const [row] = await sql<HeaderRow>(
    `select ${headerColumns}
     from bank_statement s
     where s.statement_id = $2
       and s.book_id = $1`,
    [uuidOf(book), uuidOf(id)],
  );
  return row === undefined ? undefined : toHeader(row);
}

/** At most `limit` statements after the one with this number, oldest first. */
export async function readStatementsAfter(
  sql: Sql,
  book: BookId,
  number: number,
  limit: number,
): Promise<StatementHeader[]> {
  const rows = await sql<HeaderRow>(
    `select ${headerColumns}
     from bank_statement s
     where s.book_id = $1
       and s.number > $2
     order by s.number
     limit $3`,
    [uuidOf(book), number, limit],
  );
  return rows.map(toHeader);
}

interface LineRow {
  line: number;
  account: StatementLine["account"];
  side: StatementLine["side"];
  amount_cents: bigint;
  reference: string;
  customer_reference: string | null;
  kind: StatementLine["kind"];
  occurred_at: Date;
}

/** At most `count` lines of a statement, from line `from` on. */
export async function readLines(
  sql: Sql,
  book: BookId,
  number: number,
  from: number,
  count: number,
): Promise<StatementLine[]> {
  const rows = await sql<LineRow>(
    `select line, account, side, amount_cents, reference, customer_reference, kind, occurred_at
     from bank_statement_line
     where book_id = $1
       and number = $2
       and line >= $3
       and line < $4
     order by line`,
    [uuidOf(book), number, from, from + count],
  );
  return rows.map(toLine);
}

/** The first `count` lines of each of the statements, which follow one another, by statement number. */
export async function readLinesOfEach(
  sql: Sql,
  book: BookId,
  statements: readonly StatementHeader[],
  count: number,
): Promise<Map<number, StatementLine[]>> {
  const rows = await sql<LineRow & { number: number }>(
    `select number, line, account, side, amount_cents, reference, customer_reference, kind, occurred_at
     from bank_statement_line
     where book_id = $1
       and number between $2 and $3
       and line <= $4
     order by number, line`,
    [uuidOf(book), statements.at(0)?.number ?? 0, statements.at(-1)?.number ?? 0, count],
  );
  const byNumber = Map.groupBy(rows, ({ number }) => number);
  return new Map([...byNumber].map(([number, lines]) => [number, lines.map(toLine)]));
}

function toLine(row: LineRow): StatementLine {
  return {
    line: row.line,
    account: row.account,
    side: row.side,
    amountCents: Number(row.amount_cents),
    reference: row.reference,
    customerReference: row.customer_reference,
    kind: row.kind,
    occurredAt: row.occurred_at.toISOString(),
  };
}

/** Inserts a statement, which is never changed. `sources` are the movements of its lines, in the same order. */
export async function insertStatement(
  sql: Sql,
  book: BookId,
  header: StatementHeader,
  lines: readonly StatementLine[],
  sources: readonly (string | null)[],
): Promise<void> {
  await sql(
    `insert into bank_statement
       (book_id, number, statement_id, banking_date, ends_at, opening_cents, closing_cents, line_count, hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      uuidOf(book),
      header.number,
      uuidOf(header.id),
      header.date,
      header.endsAt,
      header.openingBalanceCents,
      header.closingBalanceCents,
      header.lineCount,
      header.hash,
    ],
  );
  if (lines.length === 0) return;
  await sql(
    `insert into bank_statement_line (book_id, number, line, account, side, amount_cents, reference,
       customer_reference, kind, occurred_at, source)
     select $1, $2, * from unnest($3::int[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[],
       $10::timestamptz[], $11::text[])`,
    [
      uuidOf(book),
      header.number,
      lines.map(({ line }) => line),
      lines.map(({ account }) => account),
      lines.map(({ side }) => side),
      lines.map(({ amountCents }) => amountCents),
      lines.map(({ reference }) => reference),
      lines.map(({ customerReference }) => customerReference),
      lines.map(({ kind }) => kind),
      lines.map(({ occurredAt }) => occurredAt),
      sources,
    ],
  );
}
