import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKey, ApiKeyRevoked as RevokedKey } from "../../../contracts/http/api-keys.ts";
import { type ApiKeyId, bookIdOf } from "../../../contracts/ids/ids.ts";
import { ApiKeyRevoked } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { publishApprovalRight } from "./publish-approval-right.ts";
import type { Maker } from "./domain/key-authority.ts";
import { operator } from "./domain/key-format.ts";
import { keyNotFound } from "./query-keys.ts";
import { type TenantMode, lockApiKey, setKeyRevoked } from "./store/api-keys.ts";
import { decideProposal, denyReplacements } from "./store/key-proposals.ts";
import { readKey, readUnendedDescendants } from "./store/list-keys.ts";
import { lockTenantKeys, lockTenantOfKey } from "./store/principals.ts";

type Caller = TenantMode & Pick<Maker, "principal">;

interface Revocation {
  readonly answer: RevokedKey;
  /** Keys that waited to replace one of those that ended. */
  readonly deniedReplacements: readonly ApiKeyId[];
}

/**
 * Revokes a key permanently, and denies the replacements of it that wait: whoever revokes a key wants it gone for good.
 * Every gateway that receives the event clears its key cache at once; the cache of a gateway that misses it expires
 * within a second. Returns the replacements that it denied. Refusal: `not_found`, also for a key that is already
 * revoked and has no such replacement.
 */
export async function revokeKey(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  id: ApiKeyId,
  by: string = operator,
): Promise<readonly ApiKeyId[]> {
  await lockTenantOfKey(unit.sql, id);
  const denied = await denyReplacements(unit.sql, id, by);
  const revoked = await revokeUnlessRevoked(unit, id, by);
  if (!revoked && denied.length === 0) throw new Refusal("not_found", `There is no active key ${id}.`);
  return denied;
}

/** Revokes a key, and returns false if it is revoked already. A replacement that waits can still be approved. */
export async function revokeUnlessRevoked(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  id: ApiKeyId,
  by: string,
): Promise<boolean> {
  await lockTenantOfKey(unit.sql, id);
  const key = await setKeyRevoked(unit.sql, id, by);
  if (key === undefined) return false;
  const book = bookIdOf(key.tenant, key.mode);
  unit.outbox.add(ApiKeyRevoked, { book, subject: id, data: { apiKeyId: id } });
  await publishApprovalRight(unit, key);
  return true;
}

/**
 * Revokes any key of the caller's book as `revokeKey` does, and on request every key that it made, directly or through
 * others. Otherwise the answer lists those that still work or wait. Idempotent: answers with a key that is already
 * revoked. The tenant's lock prevents that the key makes another one at the same time.
 * Refusals: `not_found`; `invalid_state_transition` for a key that was never Active.
 */
export async function revokeKeyOfBook(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  caller: Caller,
  id: ApiKeyId,
  { includeDescendants }: { readonly includeDescendants: boolean },
): Promise<Revocation> {
  await lockTenantKeys(unit.sql, caller.tenant);
  const [, key] = await Promise.all([lockApiKey(unit.sql, caller, id), readKey(unit.sql, caller, id)]);
  if (key === undefined) throw keyNotFound();
  rejectNeverActive(key);
  const denied =
    key.status === "Revoked"
      ? await denyReplacements(unit.sql, id, caller.principal)
      : await revokeKey(unit, id, caller.principal);
  const made = await readUnendedDescendants(unit.sql, caller, id);
  const deniedToo = includeDescendants ? await endAll(unit, caller, made) : [];
  const descendants = includeDescendants ? await readAgain(unit, caller, made) : made;
  const answer = { ...((await readKey(unit.sql, caller, id)) ?? key), descendants };
  return { answer, deniedReplacements: [...denied, ...deniedToo] };
}

function rejectNeverActive(key: ApiKey): void {
  if (key.status !== "Pending" && key.status !== "Denied") return;
  throw new Refusal(
    "invalid_state_transition",
    key.proposalId === null
      ? "The key was denied, so it was never active."
      : `The key is not active yet. Deny its proposal ${key.proposalId}.`,
    { context: { currentStatus: key.status, allowedStatuses: ["Active", "Expired", "Revoked"] } },
  );
}

/**
 * Revokes the keys that work, and denies those that wait. In id order: a key is younger than the one that made it.
 * Returns the replacements that it denied.
 */
async function endAll(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  caller: Caller,
  keys: readonly ApiKey[],
): Promise<ApiKeyId[]> {
  const denied: ApiKeyId[] = [];
  for (const { id, proposalId } of keys.toReversed()) {
    if (proposalId === null) denied.push(...(await revokeKey(unit, id, caller.principal)));
    else await decideProposal(unit.sql, caller, proposalId, { status: "Denied", by: caller.principal });
  }
  return denied;
}

async function readAgain(
  unit: Pick<UnitOfWork, "sql">,
  caller: Caller,
  keys: readonly ApiKey[],
): Promise<ApiKey[]> {
  return Promise.all(keys.map(async (key) => (await readKey(unit.sql, caller, key.id)) ?? key));
}
