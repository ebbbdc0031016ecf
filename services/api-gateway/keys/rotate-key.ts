import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKey } from "../../../contracts/http/api-keys.ts";
import type { ApiKeyId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { whyAnother } from "./domain/key-authority.ts";
import { noSuchKey } from "./query-keys.ts";
import { type GivenKey, type Giver, putOrPropose, refuseBeyond, shown } from "./create-operator-key.ts";
import { newKey } from "./create-key.ts";
import { revokeKey } from "./revoke-key.ts";
import { type KeyBook, type LiveKey, lockApiKey, replaceApiKey } from "../auth/store/api-keys.ts";
import type { Replacement } from "./store/key-proposals.ts";
import { findShownKey } from "./store/list-keys.ts";

/**
 * Makes a key that takes another one's place: same name, principal, scopes, addresses and end. The old one works for
 * `overlapHours` more, 0 ends it at once. A key that its giver could not make alone waits, and so does the end of the
 * old one.
 * Refusals: `not_found`; `invalid_state_transition` for a key that is not in force or was rotated before;
 * `insufficient_scope` for a key with scopes that the giver lacks.
 */
export async function rotateKey(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  giver: Giver,
  id: ApiKeyId,
  overlapHours: number,
): Promise<GivenKey> {
  const old = await lockKeyInForce(unit, giver, id);
  refuseBeyond(giver, old.scopes);
  const { stored, key } = newKey(giver, {
    name: old.name,
    principal: old.principal,
    scopes: old.scopes,
    ipAllowlist: old.ipAllowlist,
    // A rotation does not make a key last longer than it was given.
    expiresAt: old.expiresAt,
    createdBy: giver.principal,
  });
  const reason = whyAnother(giver, {
    principal: old.principal,
    principalIsKnown: true,
    scopes: old.scopes,
  });
  const replaces: Replacement = { id, overlapHours };
  if ((await putOrPropose(unit, stored, reason, replaces)) === "InForce") {
    await retireKey(unit, replaces, stored.id, giver.principal);
  }
  return { apiKey: await shown(unit, giver, stored), key };
}

/** Ends the old key of a rotation when its time is over, or now. */
export async function retireKey(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  { id, overlapHours }: Replacement,
  by: ApiKeyId,
  principal: string,
): Promise<void> {
  await replaceApiKey(unit.sql, id, { id: by, overlapHours });
  if (overlapHours === 0) await revokeKey(unit, id, principal);
}

/** Locks a key that can still be rotated. Refusals: `not_found`, `invalid_state_transition`. */
export async function lockKeyInForce(
  { sql }: Pick<UnitOfWork, "sql">,
  book: KeyBook,
  id: ApiKeyId,
): Promise<LiveKey> {
  const key = await lockApiKey(sql, book, id);
  if (key === undefined) {
    const waiting = await findShownKey(sql, book, id);
    throw waiting === undefined ? noSuchKey() : notInForce(waiting.status);
  }
  if (key.revokedAt !== null) throw notInForce("Revoked");
  if (key.expiresAt !== null && key.expiresAt <= new Date()) throw notInForce("Expired");
  if (key.replacedBy !== null) {
    throw new Refusal(
      "invalid_state_transition",
      `The key was rotated before: rotate ${key.replacedBy}, which took its place.`,
      { context: { currentStatus: "Active", allowedStatuses: ["Active"], resourceId: key.replacedBy } },
    );
  }
  return key;
}

function notInForce(status: ApiKey["status"]): Refusal {
  return new Refusal("invalid_state_transition", `The key is ${status}: rotate one that is in force.`, {
    context: { currentStatus: status, allowedStatuses: ["Active"] },
  });
}
