import { type BankStatementId, type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { type StatementPart, statementPart } from "../../../../contracts/messages/bank-statements.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Statement } from "../domain/bank-statement.ts";

/** Allows one comparison of a book at a time: locks until the end of the transaction. Lock order: before the head. */
export async function lockReconciliation(sql: Sql, book: BookId): Promise<void> {
  await sql("select pg_advisory_xact_lock(hashtextextended($1, 14))", [uuidOf(book)]);
}

/** The stored header of a compared statement. */
export interface KnownStatement {
  readonly id: BankStatementId;
  readonly number: number;
  readonly closingCents: bigint;
  readonly hash: string;
}
interface KnownRow {
  statement_id: string;
  number: number;
  closing_cents: bigint;
  hash: string;
}
const knownColumns = "statement_id, number, closing_cents, encode(hash, 'hex') as hash";

function toKnownStatement(row: KnownRow | undefined): KnownStatement | undefined {
  return row === undefined
    ? undefined
    : {
        id: idOf("stm", row.statement_id),
        number: row.number,
        closingCents: row.closing_cents,
        hash: row.hash,
      };
}

export async function lastStatement(sql: Sql, book: BookId): Promise<KnownStatement | undefined> {
  const [row] = await sql<KnownRow>(
    `select ${knownColumns}
     from bank_statement
     where book_id = $1
     order by number desc
     limit 1`,
    [uuidOf(book)],
  );
  return toKnownStatement(row);
}

export async function findStatement(
  sql: Sql,
  book: BookId,
  id: BankStatementId,
): Promise<KnownStatement | undefined> {
  const [row] = await sql<KnownRow>(
    `select ${knownColumns}
     from bank_statement
     where statement_id = $2
       and book_id = $1`,
    [uuidOf(book), uuidOf(id)],
  );
  return toKnownStatement(row);
}

/** The ids of these statements of a book, by number. */
export async function statementIds(
  sql: Sql,
  book: BookId,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, BankStatementId>> {
  if (numbers.length === 0) return new Map();
  const rows = await sql<{ number: number; statement_id: string }>(
    `select s.number, s.statement_id
     from unnest($2::int[]) w (number)
     join bank_statement s on s.book_id = $1 and s.number = w.number`,
    [uuidOf(book), [...new Set(numbers)]],
  );
  return new Map(rows.map(({ number, statement_id }) => [number, idOf("stm", statement_id)]));
}

export async function insertStatement(sql: Sql, book: BookId, { header, lines }: Statement): Promise<void> {
  await sql(
    `insert into bank_statement
       (book_id, number, statement_id, banking_date, ends_at, opening_cents, closing_cents, line_count, hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'hex'))`,
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
    `insert into bank_line (book_id, number, line, account, side, amount_cents, reference, customer_reference, kind,
       occurred_at)
     select $1, $2, * from unnest($3::int[], $4::account_class[], $5::text[], $6::bigint[], $7::text[], $8::text[],
       $9::text[], $10::timestamptz[])`,
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
    ],
  );
}

/** Stores a part until its statement can be compared. A repeated part replaces the earlier one. */
export async function savePart(sql: Sql, book: BookId, part: StatementPart): Promise<void> {
  const { statement } = part;
  await sql("delete from statement_part where book_id = $1 and statement_id = $2 and part = $3", [
    uuidOf(book),
    uuidOf(statement.id),
    part.part,
  ]);
  await sql(
    `insert into statement_part (book_id, statement_id, part, parts, previous_statement_id, content)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      uuidOf(book),
      uuidOf(statement.id),
      part.part,
      part.parts,
      statement.previousStatementId === null ? null : uuidOf(statement.previousStatementId),
      JSON.stringify(part),
    ],
  );
}

/** The parts of the complete statement that follows `previous` (null: the book's first); empty if there is none. */
export async function partsAfter(
  sql: Sql,
  book: BookId,
  previous: BankStatementId | null,
): Promise<StatementPart[]> {
  const rows = await sql<{ content: unknown }>(
    `select p.content
     from statement_part p
     where p.book_id = $1
       and p.statement_id = (
         select w.statement_id
         from statement_part w
         where w.book_id = $1
           and w.previous_statement_id is not distinct from $2
         group by w.statement_id
         having count(*) >= max(w.parts)
         order by w.statement_id
         limit 1
       )`,
    [uuidOf(book), previous === null ? null : uuidOf(previous)],
  );
  return rows.map(({ content }) => statementPart.parse(content));
}

export async function deleteParts(sql: Sql, book: BookId, id: BankStatementId): Promise<void> {
  await sql("delete from statement_part where book_id = $1 and statement_id = $2", [
    uuidOf(book),
    uuidOf(id),
  ]);
}
