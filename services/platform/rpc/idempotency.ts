import { Refusal } from "../../../contracts/errors.ts";
import { failureCode } from "../persistence/infrastructure-fault.ts";
import type { Sql } from "../persistence/sql.ts";
import { type Ask, Replayed } from "../handlers/decorators.ts";
import { answerKey, keepAnswers, readAnswers, type StoredAnswer } from "./idempotency-store.ts";
import type { Unit } from "../handlers/unit-of-work.ts";

const lockNotAvailable = "55P03";

/** Refused: idempotency_key_reused, naming the resource that the key made. */
export function answerAgain<T>(stored: StoredAnswer, fingerprint: string): Replayed<T> {
  if (stored.fingerprint !== fingerprint) {
    throw new Refusal(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another request. Send that request again, or use a fresh key for this one.",
      { context: { resourceId: stored.resource_id } },
    );
  }
  return new Replayed(stored.response as T);
}

/**
 * The answer that is kept for the ask's Idempotency-Key, if there is one. Refused: `idempotency_key_reused`. For a write
 * that asks others first, which no transaction should wait for: `onlyOnce` looks again.
 */
export async function findAnswer<T>(sql: Sql, ask: Ask): Promise<Replayed<T> | undefined> {
  if (ask.idempotency === undefined) return undefined;
  const stored = (await readAnswers(sql, [ask])).get(answerKey(ask));
  return stored === undefined ? undefined : answerAgain<T>(stored, ask.idempotency.fingerprint);
}

/**
 * Does a write once per Idempotency-Key. The key, the fingerprint and the answer are stored in the transaction of
 * the write, so a crash leaves both or neither, and a refusal frees the key.
 *
 * Refusals: `idempotency_key_reused`; `idempotency_in_progress` when another request still holds the key after two
 * seconds: waiting longer would keep a connection that others need.
 */
export async function onlyOnce<T>(
  unit: Unit,
  ask: Ask,
  operation: { readonly name: string; readonly resourceId: (value: T) => string },
  write: () => Promise<T>,
): Promise<T | Replayed<T>> {
  if (ask.idempotency === undefined) return write();
  await lockKey(unit, answerKey(ask));
  const answered = await findAnswer<T>(unit.sql, ask);
  if (answered !== undefined) return answered;
  const response = await write();
  const { name, resourceId } = operation;
  const kept = await keepAnswers(unit.sql, [
    { ask, operation: name, resourceId: resourceId(response), response },
  ]);
  // Another kind of request took the key meanwhile: this one is rolled back, and its repeat will be told.
  if (kept.size === 0) throw stillRunning();
  return response;
}

/**
 * Does several writes in one transaction, each once per Idempotency-Key, or throws: where a key is known, held by another
 * request, or comes twice, they are to be done one by one (`onlyOnce`), and that is what the throw asks for.
 */
export async function onlyOnceEach<T>(
  unit: Unit,
  asks: readonly Ask[],
  operation: { readonly name: string; readonly resourceId: (value: T) => string },
  write: () => Promise<T[]>,
): Promise<T[]> {
  const keyed = asks.filter(({ idempotency }) => idempotency !== undefined);
  const keys = [...new Set(keyed.map(answerKey))];
  if (keys.length < keyed.length) throw stillRunning();
  const [free] = await unit.sql<{ all: boolean }>(
    `select coalesce(bool_and(pg_try_advisory_xact_lock(hashtextextended(key, 0))), true) as all
     from unnest($1::text[]) as k (key)`,
    [keys],
  );
  if (free?.all !== true || (await readAnswers(unit.sql, keyed)).size > 0) throw stillRunning();
  const responses = await write();
  const { name, resourceId } = operation;
  const answers = asks.flatMap((ask, place) => {
    const response = responses[place] as T;
    return ask.idempotency === undefined
      ? []
      : [{ ask, operation: name, resourceId: resourceId(response), response }];
  });
  if ((await keepAnswers(unit.sql, answers)).size < keyed.length) throw stillRunning();
  return responses;
}

/** One holder at a time, until the end of the transaction: the next finds the stored answer. */
async function lockKey(unit: Unit, name: string): Promise<void> {
  try {
    await unit.sql(
      `select set_config('lock_timeout', '2s', true),
         pg_advisory_xact_lock(hashtextextended($1, 0)),
         set_config('lock_timeout', '10s', true)`,
      [name],
    );
  } catch (error) {
    if (failureCode(error) === lockNotAvailable) throw stillRunning();
    throw error;
  }
}

function stillRunning(): Refusal {
  return new Refusal(
    "idempotency_in_progress",
    "A request with this Idempotency-Key is still running. Send it again in a second to get its answer.",
  );
}
