import { uuidOf } from "../../../contracts/ids.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { failureCode } from "../persistence/infrastructure-fault.ts";
import { type Ask, Replayed } from "./decorators.ts";
import type { Unit } from "./unit.ts";

const lockNotAvailable = "55P03";

interface StoredAnswer {
  fingerprint: string;
  resource_id: string;
  response: unknown;
}

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
  const { key, fingerprint } = ask.idempotency;
  const book = uuidOf(ask.caller.book);
  await lockKey(unit, `${book}/${key}`);
  const [stored] = await unit.sql<StoredAnswer>(
    `select fingerprint, resource_id, response
     from idempotency
     where book_id = $1
       and key = $2`,
    [book, key],
  );
  if (stored !== undefined) return answerAgain<T>(stored, fingerprint);
  const value = await write();
  const kept = await unit.sql(
    `insert into idempotency (book_id, key, fingerprint, operation, resource_id, response)
     values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing
     returning 1`,
    [book, key, fingerprint, operation.name, operation.resourceId(value), JSON.stringify(value)],
  );
  // Another kind of request took the key meanwhile: this one is rolled back, and its repeat will be told.
  if (kept.length === 0) throw stillRunning();
  return value;
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
