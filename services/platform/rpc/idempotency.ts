import { Refusal } from "../../../contracts/errors.ts";
import { failureCode } from "../persistence/infrastructure-fault.ts";
import { lockWithDeadlineMs } from "../persistence/session-limits.ts";
import type { Sql } from "../persistence/sql.ts";
import { type RequestContext, IdempotentReplay } from "../handlers/decorators.ts";
import { idempotencyKeyOf, insertAnswers, readAnswers, type StoredAnswer } from "./idempotency-store.ts";
import type { UnitOfWork } from "../handlers/unit-of-work.ts";
import { refuseIfLate } from "../handlers/deadline.ts";

const lockNotAvailable = "55P03";

/** Refusals: `idempotency_key_reused`, with the id of the resource that the key created. */
export function replay<T>(stored: StoredAnswer, fingerprint: string): IdempotentReplay<T> {
  if (stored.fingerprint !== fingerprint) {
    throw new Refusal(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another request. Send that request again, or use a fresh key for this one.",
      { context: { resourceId: stored.resource_id } },
    );
  }
  return new IdempotentReplay(stored.response as T);
}

/**
 * The stored answer to the request's Idempotency-Key, if there is one. Refusals: `idempotency_key_reused`. For a write
 * that first calls another service, outside its transaction; `withIdempotency` checks again inside it.
 */
export async function findReplay<T>(
  sql: Sql,
  request: RequestContext,
  operation: { readonly name: string },
): Promise<IdempotentReplay<T> | undefined> {
  if (request.idempotency === undefined) return undefined;
  const stored = (await readAnswers(sql, [request], operation.name)).get(idempotencyKeyOf(request));
  return stored === undefined ? undefined : replay<T>(stored, request.idempotency.fingerprint);
}

/**
 * Executes a write once per Idempotency-Key. The key, the fingerprint and the answer are stored in the transaction of
 * the write, so a crash leaves both or neither, and a refusal frees the key.
 *
 * Refusals: `idempotency_key_reused`; `idempotency_in_progress` when another request still holds the key after two
 * seconds: waiting longer would occupy a connection that others need; `upstream_timeout` if it is late already.
 */
export async function withIdempotency<T>(
  unit: UnitOfWork,
  request: RequestContext,
  operation: { readonly name: string; readonly resourceId: (value: T) => string },
  write: () => Promise<T>,
): Promise<T | IdempotentReplay<T>> {
  refuseIfLate(request);
  if (request.idempotency === undefined) return write();
  await lockKey(unit, idempotencyKeyOf(request));
  const answered = await findReplay<T>(unit.sql, request, operation);
  if (answered !== undefined) return answered;
  const response = await write();
  const { name, resourceId } = operation;
  const inserted = await insertAnswers(unit.sql, name, [
    { request, resourceId: resourceId(response), response },
  ]);
  // A batch of new orders, which takes no lock, stored its answer under this key. This write rolls back, and its repeat
  // gets `idempotency_key_reused`.
  if (inserted.size === 0) throw inProgress();
  return response;
}

/**
 * Executes several writes in one transaction, each once per Idempotency-Key. Throws if a key is known, held by another
 * request, or comes twice, or if a request is late: the caller must then execute them one by one with
 * `withIdempotency`.
 */
export async function withIdempotencyBatch<T>(
  unit: UnitOfWork,
  requests: readonly RequestContext[],
  operation: { readonly name: string; readonly resourceId: (value: T) => string },
  write: () => Promise<T[]>,
): Promise<T[]> {
  requests.forEach(refuseIfLate);
  const keyed = requests.filter(({ idempotency }) => idempotency !== undefined);
  const keys = [...new Set(keyed.map(idempotencyKeyOf))];
  if (keys.length < keyed.length) throw inProgress();
  const [free] = await unit.sql<{ all: boolean }>(
    `select coalesce(bool_and(pg_try_advisory_xact_lock(hashtextextended(key, 0))), true) as all
     from unnest($1::text[]) as k (key)`,
    [keys],
  );
  if (free?.all !== true || (await readAnswers(unit.sql, keyed, operation.name)).size > 0) throw inProgress();
  const responses = await write();
  const { name, resourceId } = operation;
  const answers = requests.flatMap((request, index) => {
    const response = responses[index] as T;
    return request.idempotency === undefined ? [] : [{ request, resourceId: resourceId(response), response }];
  });
  if ((await insertAnswers(unit.sql, name, answers)).size < keyed.length) throw inProgress();
  return responses;
}

/** Held by one transaction at a time, until its end: the next one finds the stored answer. */
async function lockKey(unit: UnitOfWork, name: string): Promise<void> {
  try {
    await unit.sql(
      `select set_config('lock_timeout', '2s', true),
         pg_advisory_xact_lock(hashtextextended($1, 0)),
         set_config('lock_timeout', $2, true)`,
      [name, String(lockWithDeadlineMs)],
    );
  } catch (error) {
    if (failureCode(error) === lockNotAvailable) throw inProgress();
    throw error;
  }
}

function inProgress(): Refusal {
  return new Refusal(
    "idempotency_in_progress",
    "A request with this Idempotency-Key is still running. Send it again in a second to get its answer.",
  );
}
