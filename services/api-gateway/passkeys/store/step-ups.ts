import { Refusal } from "../../../../contracts/errors.ts";
import {
  idOf,
  type Mode,
  type PasskeyId,
  type SessionId,
  type StepUpId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Intent } from "../domain/challenge.ts";

/** How long a challenge can be answered, and its answer be used. */
const validSeconds = 120;

/** So that a session makes no more rows than a person can answer. */
const maxOpen = 20;

/**
 * Stores a challenge of a session, with what it is for, and deletes those that nobody has answered in time. Locks the
 * session, so that each is counted before the next. Refusals: `rate_limited` for the twenty-first that is open.
 */
export async function insertStepUp(
  sql: Sql,
  stepUp: {
    readonly id: StepUpId;
    readonly session: SessionId;
    readonly intent: Intent;
    readonly nonce: Buffer;
    readonly challenge: Buffer;
  },
): Promise<void> {
  const { id, session, intent, nonce, challenge } = stepUp;
  await sql("select from session where id = $1 for no key update", [uuidOf(session)]);
  await sql("delete from step_up where session_id = $1 and verified_at is null and expires_at <= now()", [
    uuidOf(session),
  ]);
  const inserted = await sql(
    `insert into step_up
       (id, session_id, operation, mode, object_ids, order_hashes, body_hash, if_match, nonce, challenge, expires_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + make_interval(secs => $11)
     where (select count(*) from step_up where session_id = $2 and verified_at is null) < $12
     returning id`,
    [
      uuidOf(id),
      uuidOf(session),
      intent.operation,
      intent.mode,
      intent.ids,
      intent.orderHashes,
      intent.bodyHash,
      intent.ifMatch,
      nonce,
      challenge,
      validSeconds,
      maxOpen,
    ],
  );
  if (inserted.length === 0) {
    throw new Refusal("rate_limited", "Answer what you were asked before, or wait two minutes.", {
      context: { retryAfterSeconds: validSeconds },
    });
  }
}

/** Whether the session has begun this step-up, in whatever state it is; it is locked. */
export async function lockStepUp(sql: Sql, session: SessionId, id: StepUpId): Promise<boolean> {
  const found = await sql("select from step_up where id = $1 and session_id = $2 for no key update", [
    uuidOf(id),
    uuidOf(session),
  ]);
  return found.length > 0;
}

/** The open challenge of this session, locked until it is answered; undefined if answered, expired or another's. */
export async function lockOpenStepUp(
  sql: Sql,
  session: SessionId,
  id: StepUpId,
): Promise<Buffer | undefined> {
  const [row] = await sql<{ challenge: Buffer }>(
    `select challenge
     from step_up
     where id = $1
       and session_id = $2
       and verified_at is null
       and expires_at > now()
     for no key update`,
    [uuidOf(id), uuidOf(session)],
  );
  return row?.challenge;
}

/** The newest open challenge of an operation of this session: of a registration, which has one at a time. */
export async function lockNewestOpen(
  sql: Sql,
  session: SessionId,
  operation: string,
): Promise<{ readonly id: StepUpId; readonly challenge: Buffer } | undefined> {
  const [row] = await sql<{ id: string; challenge: Buffer }>(
    `select id, challenge
     from step_up
     where session_id = $1
       and operation = $2
       and verified_at is null
       and expires_at > now()
     order by id desc
     limit 1
     for no key update`,
    [uuidOf(session), operation],
  );
  return row && { id: idOf("sup", row.id), challenge: row.challenge };
}

/** From now on the challenge can't be answered again. The answer is kept as evidence of what the person agreed to. */
export async function setVerified(
  sql: Sql,
  id: StepUpId,
  passkey: PasskeyId,
  assertion: object | null,
): Promise<void> {
  await sql("update step_up set verified_at = now(), passkey_id = $2, assertion = $3::jsonb where id = $1", [
    uuidOf(id),
    uuidOf(passkey),
    assertion === null ? null : JSON.stringify(assertion),
  ]);
}

/** What a decision is about to use a step-up for. */
export interface Decision {
  readonly operation: string;
  readonly mode: Mode;
  /** Empty for an operation without an id in its path. */
  readonly objectId: string;
  /** The hash of the order that the decision is about, if it names one. */
  readonly orderHash: string | null;
  /** The hash of the request's body; null where the decision has none, or is about an order. */
  readonly bodyHash: string | null;
  /** The request's header If-Match; null for a request without one. */
  readonly ifMatch: string | null;
  /** A repetition of the same request, with the same key, uses the same step-up again. */
  readonly idempotencyKey: string | null;
}

/**
 * Uses an answered step-up of the session for one object, once. Returns the passkey that answered it, or undefined if
 * it is none of this session's, is not answered, is too old, is for something else or is used already, or if the
 * passkey has been removed.
 */
export async function spendStepUp(
  sql: Sql,
  session: SessionId,
  id: StepUpId,
  { operation, mode, objectId, orderHash, bodyHash, ifMatch, idempotencyKey }: Decision,
): Promise<PasskeyId | undefined> {
  const [row] = await sql<{ passkey_id: string }>(
    `with fitting as (
       select s.id, s.passkey_id
       from step_up s
       join passkey p on p.id = s.passkey_id
       where s.id = $1
         and p.removed_at is null
         and s.session_id = $2
         and s.verified_at is not null
         and s.expires_at > now()
         and s.operation = $3
         and s.mode = $4
         and s.body_hash is not distinct from $8
         and s.if_match is not distinct from $9
         and (case
           when $5 = '' then cardinality(s.object_ids) = 0
           else $5 = any (s.object_ids)
             and ($6::text is null or s.order_hashes[array_position(s.object_ids, $5)] = $6)
         end)
     ),
     spent as (
       insert into step_up_use (step_up_id, object_id, idempotency_key)
       select id, $5, $7
       from fitting
       on conflict on constraint step_up_use_pkey do update
         set idempotency_key = excluded.idempotency_key
         where step_up_use.idempotency_key = excluded.idempotency_key
       returning step_up_id
     )
     select f.passkey_id
     from fitting f
     join spent on spent.step_up_id = f.id`,
    [uuidOf(id), uuidOf(session), operation, mode, objectId, orderHash, idempotencyKey, bodyHash, ifMatch],
  );
  return row && idOf("pky", row.passkey_id);
}
