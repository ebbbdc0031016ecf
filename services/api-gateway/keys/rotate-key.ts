import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKey } from "../../../contracts/http/api-keys.ts";
import type { ApiKeyId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import { refreshApprovalRight } from "./refresh-approval-right.ts";
import { callerNow } from "./caller-now.ts";
import { type CreatedKey, insertOrPropose, newKey, readBack, rejectScopesBeyond } from "./create-key.ts";
import { approvalReason } from "./domain/key-authority.ts";
import { keyNotFound } from "./query-keys.ts";
import { revokeUnlessRevoked } from "./revoke-key.ts";
import { type TenantMode, type StoredKey, lockApiKey, setKeyReplaced } from "./store/api-keys.ts";
import type { Replacement } from "./store/key-proposals.ts";
import { readKey } from "./store/list-keys.ts";
import { lockTenantKeys } from "./store/principals.ts";

/**
 * Issues a replacement with the same name, principal, scopes, addresses and expiry. The old key works for
 * `overlapHours` more; 0 revokes it at once. If the caller may not create such a key alone, the replacement waits for
 * an approval. The old key does not end before that, except without overlap: the caller may have lost it.
 * Refusals: `not_found`; `invalid_state_transition` for a key that is not Active or was rotated before;
 * `insufficient_scope` for scopes that the caller lacks; `api_key_invalid` if the caller's key is over.
 */
export async function rotateKey(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  maker: KnownCaller,
  id: ApiKeyId,
  overlapHours: number,
): Promise<CreatedKey> {
  await lockTenantKeys(unit.sql, maker.tenant);
  const caller = await callerNow(unit, maker, "keys:write");
  const old = await lockActiveKey(unit, maker, id);
  rejectScopesBeyond(caller, old.scopes);
  const { stored, key } = newKey(maker, {
    name: old.name,
    principal: old.principal,
    scopes: old.scopes,
    ipAllowlist: old.ipAllowlist,
    // A rotation does not extend a key's life.
    expiresAt: old.expiresAt,
    createdBy: maker.principal,
    createdByKey: maker.apiKeyId,
  });
  // Whoever made the key alone, when its name was new, gets nothing more by replacing it alone.
  const madeAlone = old.createdBy === maker.principal && old.approvedBy === null;
  const reason = approvalReason(caller, { ...old, principalIsKnown: !madeAlone });
  const replaces: Replacement = { id, overlapHours };
  // Before the proposal, which remembers whether that ended the principal's right to approve.
  if (reason !== undefined && overlapHours === 0) await revokeUnlessRevoked(unit, id, maker.principal);
  if ((await insertOrPropose(unit, stored, reason, replaces)) === "Inserted") {
    await endReplacedKey(unit, replaces, stored.id, maker.principal);
  }
  return { apiKey: await readBack(unit, maker, stored), key };
}

/** Lets a replaced key expire after its overlap, or revokes it unless it is revoked already. */
export async function endReplacedKey(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  { id, overlapHours }: Replacement,
  by: ApiKeyId,
  principal: string,
): Promise<void> {
  const replaced = await setKeyReplaced(unit.sql, id, { id: by, overlapHours });
  if (replaced !== undefined) await refreshApprovalRight(unit, replaced);
  if (overlapHours === 0) await revokeUnlessRevoked(unit, id, principal);
}

/**
 * Locks the key that an approved replacement ends. One without overlap ended when its replacement was requested.
 * Refusals: `not_found`, `invalid_state_transition`.
 */
export async function lockReplacedKey(
  unit: Pick<UnitOfWork, "sql">,
  book: TenantMode,
  { id, overlapHours }: Replacement,
): Promise<void> {
  const key = await lockApiKey(unit.sql, book, id);
  const hasEnded = overlapHours === 0 && key !== undefined && key.revokedAt !== null;
  if (hasEnded && key.replacedBy === null) return;
  await lockActiveKey(unit, book, id);
}

/** Locks an Active key that was not rotated yet. Refusals: `not_found`, `invalid_state_transition`. */
async function lockActiveKey(
  { sql }: Pick<UnitOfWork, "sql">,
  book: TenantMode,
  id: ApiKeyId,
): Promise<StoredKey> {
  const key = await lockApiKey(sql, book, id);
  if (key === undefined) {
    const waiting = await readKey(sql, book, id);
    throw waiting === undefined ? keyNotFound() : notActive(waiting.status);
  }
  if (key.revokedAt !== null) throw notActive("Revoked");
  if (key.expiresAt !== null && key.expiresAt <= new Date()) throw notActive("Expired");
  if (key.replacedBy !== null) {
    throw new Refusal(
      "invalid_state_transition",
      `The key was rotated before. Rotate its replacement ${key.replacedBy}.`,
      { context: { currentStatus: "Active", allowedStatuses: ["Active"], resourceId: key.replacedBy } },
    );
  }
  return key;
}

function notActive(status: ApiKey["status"]): Refusal {
  return new Refusal("invalid_state_transition", `The key is ${status}. Only an Active key can be rotated.`, {
    context: { currentStatus: status, allowedStatuses: ["Active"] },
  });
}
