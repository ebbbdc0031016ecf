import type { LedgerTransactionCreate } from "../../../../contracts/http/ledger/ledger-transactions.ts";
import { type LedgerTransactionId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/**
 * Inserts the details of manual transactions and returns how many were inserted. Those whose externalId is already in
 * use in the book are skipped.
 */
export async function insertDetails(
  sql: Sql,
  book: string,
  details: readonly {
    readonly id: LedgerTransactionId;
    readonly body: LedgerTransactionCreate;
    readonly createdBy: string;
  }[],
): Promise<number> {
  const rows = await sql(
    `insert into transaction_detail (book_id, transaction_id, description, basis, external_id, metadata,
       created_by)
     select $1::uuid, d.*
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::text[]) as d
     on conflict (external_id, greatest(book_id, '${belowAllUuids}'::uuid)) where external_id is not null do nothing
     returning 1`,
    [
      book,
      details.map(({ id }) => uuidOf(id)),
      details.map(({ body }) => body.description),
      details.map(({ body }) => body.basis),
      details.map(({ body }) => body.externalId ?? null),
      details.map(({ body }) => JSON.stringify(body.metadata ?? {})),
      details.map(({ createdBy }) => createdBy),
    ],
  );
  return rows.length;
}

/** Who created a manual transaction; null if that was not stored. */
export async function readCreator(sql: Sql, book: string, id: LedgerTransactionId): Promise<string | null> {
  const [row] = await sql<{ created_by: string | null }>(
    "select created_by from transaction_detail where book_id = $1 and transaction_id = $2",
    [book, uuidOf(id)],
  );
  return row?.created_by ?? null;
}

/** Inserts the description of a later journal, such as a reversal's. */
export async function insertNote(
  sql: Sql,
  book: string,
  sequence: number,
  description: string,
): Promise<void> {
  await sql("insert into journal_note (book_id, seq, description) values ($1, $2, $3)", [
    book,
    sequence,
    description,
  ]);
}
