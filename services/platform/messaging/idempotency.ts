import { uuidOf } from "../../../contracts/ids.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { type Ask, Replayed } from "./decorators.ts";
import type { Unit } from "./unit.ts";

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
 * the write, so a crash leaves both or neither, and a refusal frees the key. A concurrent holder of the same key is
 * waited for (its row lock), then replayed.
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
  // One holder at a time: the loser waits here until the winner's commit, and then finds the stored answer.
  await unit.sql("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${book}/${key}`]);
  const [stored] = await unit.sql<StoredAnswer>(
    `select fingerprint, resource_id, response
     from idempotency
     where book_id = $1
       and key = $2`,
    [book, key],
  );
  if (stored !== undefined) return answerAgain<T>(stored, fingerprint);
  const value = await write();
  await unit.sql(
    `insert into idempotency (book_id, key, fingerprint, operation, resource_id, response)
     values ($1, $2, $3, $4, $5, $6)`,
    [book, key, fingerprint, operation.name, operation.resourceId(value), JSON.stringify(value)],
  );
  return value;
}
