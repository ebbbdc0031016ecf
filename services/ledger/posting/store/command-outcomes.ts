import type { ErrorCode } from "../../../../contracts/errors.ts";
import { type BookId, idOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Outcome } from "../../book/book-state.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import { idArray, uuidArray } from "../../../platform/persistence/uuid-array.ts";

/** A command's outcome, with the hash of its request. */
export interface StoredOutcome {
  readonly book: BookId;
  readonly commandId: string;
  /** SHA-256 in hexadecimal; another hash under the same command id is a conflict. */
  readonly requestHash: string;
  readonly outcome: Outcome;
}

interface OutcomeRow {
  book_id: string;
  command_id: string;
  request_hash: string;
  transaction_id: string;
  seq: bigint | null;
  refusal_code: ErrorCode | null;
  refusal_detail: string | null;
}

/** The stored outcomes of these commands; commands without one are left out. */
export async function readOutcomes(
  sql: Sql,
  keys: readonly { readonly book: BookId; readonly commandId: string }[],
): Promise<StoredOutcome[]> {
  const rows = await sql<OutcomeRow>(
    `select u.book_id, u.command_id, encode(c.request_hash, 'hex') as request_hash, c.transaction_id, c.seq,
       c.refusal_code, c.refusal_detail
     from unnest($1::uuid[], $2::uuid[]) as u (book_id, command_id)
     cross join lateral (
       select * from command x where x.book_id = u.book_id and x.command_id = u.command_id offset 0
     ) c`,
    [idArray(keys.map(({ book }) => book)), uuidArray(keys.map(({ commandId }) => commandId))],
  );
  return rows.map((row) => ({
    book: idOf("book", row.book_id),
    commandId: row.command_id,
    requestHash: row.request_hash,
    outcome: outcomeOf(row),
  }));
}

function outcomeOf(row: OutcomeRow): Outcome {
  const transactionId = idOf("lt", row.transaction_id);
  if (row.seq !== null) return { result: "Appended", transactionId, sequence: Number(row.seq) };
  if (row.refusal_code === null || row.refusal_detail === null)
    throw new TypeError(`command ${row.command_id} has neither a journal nor a refusal`);
  return { result: "Refused", transactionId, code: row.refusal_code, detail: row.refusal_detail };
}

/** Inserts the outcomes of a batch. Fails on `command_pk` if a command already has one. */
export async function insertOutcomes(sql: Sql, outcomes: readonly StoredOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await sql(
    `insert into command (book_id, command_id, request_hash, transaction_id, seq, refusal_code, refusal_detail)
     select book_id, command_id, decode(request_hash, 'hex'), transaction_id, seq, refusal_code, refusal_detail
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::text[])
       as u (book_id, command_id, request_hash, transaction_id, seq, refusal_code, refusal_detail)`,
    [
      idArray(outcomes.map(({ book }) => book)),
      uuidArray(outcomes.map(({ commandId }) => commandId)),
      arrayLiteral(outcomes.map(({ requestHash }) => requestHash)),
      idArray(outcomes.map(({ outcome }) => outcome.transactionId)),
      arrayLiteral(outcomes.map(({ outcome }) => (outcome.result === "Appended" ? outcome.sequence : null))),
      outcomes.map(({ outcome }) => (outcome.result === "Refused" ? outcome.code : null)),
      outcomes.map(({ outcome }) => (outcome.result === "Refused" ? outcome.detail : null)),
    ],
  );
}
