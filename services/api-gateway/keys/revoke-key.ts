import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKey, ApiKeyRevoked as RevokedKey } from "../../../contracts/http/api-keys.ts";
import { type ApiKeyId, bookIdOf } from "../../../contracts/ids/ids.ts";
import { ApiKeyRevoked } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { filterRevokedWith } from "../audit/store/audit.ts";
import { refreshApprovalRight } from "./refresh-approval-right.ts";
import type { Maker } from "./domain/key-authority.ts";
import { operator } from "./domain/key-format.ts";
import { findKey, keyNotFound } from "./query-keys.ts";
import { type TenantMode, lockApiKey, setKeysRevoked } from "./store/api-keys.ts";
import { denyProposalsOfKeys } from "./store/key-proposals.ts";
import {
  listEndedDescendants,
  listOldestDescendants,
  readKey,
  readKeys,
  readUnendedDescendants,
} from "./store/list-keys.ts";
import { lockTenantKeys, lockTenantOfKey } from "./store/principals.ts";

type Caller = TenantMode & Pick<Maker, "principal">;

/** Keys that a transaction has ended. */
export interface EndedKeys {
  readonly revoked: readonly ApiKeyId[];
  /** Those that waited for an approval, also if they would have replaced a key that ended. */
  readonly denied: readonly ApiKeyId[];
}

/** Few enough for a transaction of some tenths of a second. */
const maxEndedAtOnce = 1_000;

/**
 * Revokes a key permanently, and denies the replacements of it that wait: whoever revokes a key wants it gone for good.
 * Every gateway that receives the event clears its key cache at once; the cache of a gateway that misses it expires
 * within a second. Returns what has ended, which is nothing if it is already revoked and has no such replacement, and
 * in which book. Refusals: `not_found`.
 */
export async function revokeKey(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  id: ApiKeyId,
  by: string = operator,
): Promise<EndedKeys & TenantMode> {
  const book = await lockTenantOfKey(unit.sql, id);
  if (book === undefined) throw noActiveKey(id);
  return { ...book, ...(await endKeys(unit, { ...book, principal: by }, [id])) };
}

export const noActiveKey = (id: ApiKeyId) => new Refusal("not_found", `There is no active key ${id}.`);

/** Revokes a key unless it is revoked. A replacement that waits can still be approved. Under the tenant's lock. */
export async function revokeUnlessRevoked(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  id: ApiKeyId,
  by: string,
): Promise<void> {
  await revokeKeys(unit, [id], by);
}

/**
 * Revokes any key of the caller's book as `revokeKey` does. Idempotent: nothing ends if it is already revoked.
 * Refusals: `not_found`; `invalid_state_transition` for a key that was never Active.
 */
export async function revokeKeyOfBook(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  caller: Caller,
  id: ApiKeyId,
): Promise<EndedKeys> {
  await lockTenantKeys(unit.sql, caller.tenant);
  const [, key] = await Promise.all([lockApiKey(unit.sql, caller, id), readKey(unit.sql, caller, id)]);
  if (key === undefined) throw keyNotFound();
  rejectNeverActive(key);
  return endKeys(unit, caller, [id]);
}

/**
 * Ends the oldest of the keys that a key made, directly or through others, up to a thousand of them: those that work
 * are revoked, and those that wait are denied. Returns what has ended, and whether there may be more. The tenant's lock
 * prevents that one of them makes another key at the same time.
 */
export async function endDescendants(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  caller: Caller,
  id: ApiKeyId,
): Promise<EndedKeys & { readonly mayHaveMore: boolean }> {
  await lockTenantKeys(unit.sql, caller.tenant);
  const made = await listOldestDescendants(unit.sql, caller, id, maxEndedAtOnce);
  return { mayHaveMore: made.length === maxEndedAtOnce, ...(await endKeys(unit, caller, made)) };
}

/** A revoked key, with the descendants that ended with it, or with those that still work or wait. */
export async function readRevoked(
  sql: Sql,
  book: TenantMode,
  id: ApiKeyId,
  which: "ended with it" | "unended",
): Promise<RevokedKey> {
  const [key, descendants] = await Promise.all([
    findKey(sql, book, id),
    which === "unended" ? readUnendedDescendants(sql, book, id) : readEndedWith(sql, book, id),
  ]);
  return { ...key, descendants };
}

/** By the audit log: earlier requests, whose answers were late, may have ended some of them. */
async function readEndedWith(sql: Sql, book: TenantMode, id: ApiKeyId): Promise<ApiKey[]> {
  const ended = await listEndedDescendants(sql, book, id);
  return readKeys(sql, book, await filterRevokedWith(sql, book, ended, id));
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

/** Revokes keys that work, denies those that wait, and those that would replace one of them. */
async function endKeys(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  { tenant, principal }: Caller,
  keys: readonly ApiKeyId[],
): Promise<EndedKeys> {
  if (keys.length === 0) return { revoked: [], denied: [] };
  const denied = await denyProposalsOfKeys(unit.sql, tenant, keys, principal);
  return { denied, revoked: await revokeKeys(unit, keys, principal) };
}

/** Returns the keys that were not revoked before. */
async function revokeKeys(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  keys: readonly ApiKeyId[],
  by: string,
): Promise<ApiKeyId[]> {
  const revoked = await setKeysRevoked(unit.sql, keys, by);
  for (const { id, tenant, mode } of revoked) {
    unit.outbox.add(ApiKeyRevoked, { book: bookIdOf(tenant, mode), subject: id, data: { apiKeyId: id } });
  }
  const approving = revoked.filter(({ scopes }) => scopes.includes("orders:approve"));
  // Once for a principal, however many of its keys have ended.
  for (const key of new Map(approving.map((each) => [each.principal, each])).values()) {
    await refreshApprovalRight(unit, key);
  }
  return revoked.map(({ id }) => id);
}
