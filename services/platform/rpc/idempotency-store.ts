import { uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../persistence/sql.ts";
import { idArray } from "../persistence/uuid-array.ts";
import type { RequestContext } from "../handlers/decorators.ts";

/** The answer to a write, stored for its Idempotency-Key. */
export interface StoredAnswer {
  readonly fingerprint: string;
  readonly resource_id: string;
  readonly response: unknown;
}

/** Identifies a request's stored answer among those of one resource: its book and Idempotency-Key. */
export function idempotencyKeyOf(request: RequestContext): string {
  return `${uuidOf(request.caller.book)}/${request.idempotency?.key ?? ""}`;
}

/** The stored answers to these requests, by `idempotencyKeyOf`. A key counts for the resource of its operation. */
export async function readAnswers(
  sql: Sql,
  requests: readonly RequestContext[],
  operation: string,
): Promise<Map<string, StoredAnswer>> {
  if (requests.length === 0) return new Map();
  const rows = await sql<StoredAnswer & { book_id: string; key: string }>(
    `select a.*
     from unnest($1::uuid[], $2::text[]) as k (book_id, key)
     cross join lateral (
       select book_id, key, fingerprint, resource_id, response
       from idempotency i
       where i.book_id = k.book_id
         and i.key = k.key
         and i.resource = idempotency_resource($3)
       offset 0
     ) a`,
    [
      idArray(requests.map((request) => request.caller.book)),
      requests.map((request) => request.idempotency?.key ?? ""),
      operation,
    ],
  );
  return new Map(rows.map((row) => [`${row.book_id}/${row.key}`, row]));
}

interface NewAnswer {
  readonly request: RequestContext;
  readonly resourceId: string;
  readonly response: unknown;
}

/** In key order, so that two batches with the same keys can't deadlock. */
const insertAnswersText = `insert into idempotency (book_id, key, fingerprint, operation, resource_id, response)
  select book_id, key, fingerprint, $4, resource_id, response
  from unnest($1::uuid[], $2::text[], $3::text[], $5::text[], $6::jsonb[])
    as n (book_id, key, fingerprint, resource_id, response)
  order by book_id, key`;

/**
 * Stores answers of one operation. Waits for a concurrent transaction that holds a key. Returns the keys that were
 * inserted; the others already have another transaction's answer.
 */
export async function insertAnswers(
  sql: Sql,
  operation: string,
  answers: readonly NewAnswer[],
): Promise<ReadonlySet<string>> {
  if (answers.length === 0) return new Set();
  const rows = await sql<{ book_id: string; key: string }>(
    `${insertAnswersText}
     on conflict on constraint idempotency_pkey do nothing
     returning book_id, key`,
    valuesOf(operation, answers),
  );
  return new Set(rows.map((row) => `${row.book_id}/${row.key}`));
}

/**
 * Stores answers of one operation whose keys were free a moment ago. If another transaction has taken one since, it
 * throws the error that `isKeyTaken` knows: the transaction must be rolled back, and its repeat finds the other's
 * answer.
 */
export async function insertNewAnswers(
  sql: Sql,
  operation: string,
  answers: readonly NewAnswer[],
): Promise<void> {
  if (answers.length > 0) await sql(insertAnswersText, valuesOf(operation, answers));
}

export function isKeyTaken(error: unknown): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === "idempotency_pkey";
}

function valuesOf(operation: string, answers: readonly NewAnswer[]): unknown[] {
  return [
    idArray(answers.map(({ request }) => request.caller.book)),
    answers.map(({ request }) => request.idempotency?.key),
    answers.map(({ request }) => request.idempotency?.fingerprint),
    operation,
    answers.map(({ resourceId }) => resourceId),
    answers.map(({ response }) => JSON.stringify(response)),
  ];
}
