import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKey, ApiKeyCreate } from "../../../contracts/http/api-keys.ts";
import type { Scope } from "../../../contracts/http/scopes.ts";
import { newId, type TenantId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { hashOf, mintKey, partsShownOf } from "../auth/api-key.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import { callerNow } from "./caller-now.ts";
import { insertApiKey, type TenantMode, type NewApiKey } from "./store/api-keys.ts";
import { approvalReason, type Maker, scopesBeyond, scopesToVouchFor } from "./domain/key-authority.ts";
import { parsePrincipal, rejectBadAddresses, rejectPastExpiry } from "./domain/key-format.ts";
import { insertProposal, type Replacement } from "./store/key-proposals.ts";
import { readKey } from "./store/list-keys.ts";
import {
  findSimilarPrincipal,
  isVouchedFor,
  lockTenantKeys,
  looksLikePerson,
  type Principal,
} from "./store/principals.ts";

export interface CreatedKey {
  readonly apiKey: ApiKey;
  /** In clear, shown only once. */
  readonly key: string;
}

/**
 * Creates a key in the caller's book. It is Active at once, or Pending until another principal approves it, if its
 * maker may not create it alone (domain/key-authority.ts). Without an expiry or addresses it has those of the key
 * that makes it.
 * Refusals: `insufficient_scope` for scopes that the caller lacks; `invalid_field` for a bad principal, address block
 * or expiry, and for approving scopes of a principal that nobody vouches for; `api_key_invalid` if the caller's key is
 * over.
 */
export async function createKey(
  unit: Pick<UnitOfWork, "sql">,
  maker: KnownCaller,
  body: ApiKeyCreate,
): Promise<CreatedKey> {
  const principal = parsePrincipal(body.principal ?? maker.principal);
  rejectBadAddresses(body.ipAllowlist ?? []);
  if (body.expiresAt !== undefined) rejectPastExpiry(new Date(body.expiresAt), new Date());
  const existing = await lockPrincipal(unit.sql, maker.tenant, principal);
  const caller = await callerNow(unit, maker, "keys:write");
  rejectScopesBeyond(caller, body.scopes);
  const requested = {
    principal,
    principalIsKnown: existing?.known === true,
    scopes: body.scopes,
    expiresAt: body.expiresAt === undefined ? caller.expiresAt : new Date(body.expiresAt),
    ipAllowlist: body.ipAllowlist ?? caller.ipAllowlist,
  };
  const tooEarly = scopesToVouchFor(body.scopes, await isVouchedFor(unit.sql, maker.tenant, principal));
  if (tooEarly.length > 0) {
    const message = `${principal} can't have a key with ${tooEarly.join(", ")} yet. First the operator must give it a key, or another principal must approve a key or a role for it.`;
    throw new Refusal("invalid_field", message, {
      errors: [{ pointer: "/principal", code: "invalid_field", message }],
    });
  }
  const { stored, key } = newKey(maker, {
    ...requested,
    name: body.name,
    createdBy: maker.principal,
    createdByKey: maker.apiKeyId,
  });
  await insertOrPropose(unit, stored, approvalReason(caller, requested), undefined);
  return { apiKey: await readBack(unit, maker, stored), key };
}

/** Generates a key for a book: the row to store, and the key in clear. */
export function newKey(
  { tenant, mode }: TenantMode,
  fields: Pick<
    NewApiKey,
    "name" | "principal" | "scopes" | "ipAllowlist" | "expiresAt" | "createdBy" | "createdByKey"
  >,
): { stored: NewApiKey; key: string } {
  const key = mintKey(mode);
  const { name, principal, ipAllowlist, expiresAt, createdBy, createdByKey } = fields;
  const stored = {
    name,
    principal,
    ipAllowlist,
    expiresAt,
    createdBy,
    createdByKey,
    id: newId("key"),
    tenant,
    mode,
    hash: hashOf(key),
    ...partsShownOf(key),
    scopes: [...new Set(fields.scopes)],
  };
  return { stored, key };
}

/**
 * The tenant's principal of that name, undefined for a new one. Locks the tenant's keys: until the end of the
 * transaction nobody else creates one. Refusals: `invalid_field` for a name that counts as an existing principal's
 * (`isSamePrincipal`) but is spelled in another way, or that looks like a person's name or email, so that an approver
 * would take one for the other; `not_found` for the tenant.
 */
export async function lockPrincipal(
  sql: Sql,
  tenant: TenantId,
  name: string,
): Promise<Principal | undefined> {
  const [tenantExists, similar] = await Promise.all([
    lockTenantKeys(sql, tenant),
    findSimilarPrincipal(sql, tenant, name),
  ]);
  if (!tenantExists) throw new Refusal("not_found", `There is no tenant ${tenant}.`);
  if (similar?.name === name) return similar;
  if (similar === undefined && !(await looksLikePerson(sql, tenant, name))) return undefined;
  const message =
    similar === undefined
      ? `${name} looks like the name or email of another person. Choose another principal.`
      : `There is already a principal ${similar.name}. Use exactly this name, or choose another.`;
  throw new Refusal("invalid_field", message, {
    errors: [{ pointer: "/principal", code: "invalid_field", message }],
  });
}

/** Inserts a key, or a proposal of it if there is a reason why another principal must approve it. */
export async function insertOrPropose(
  { sql }: Pick<UnitOfWork, "sql">,
  key: NewApiKey,
  reason: string | undefined,
  replaces: Replacement | undefined,
): Promise<"Inserted" | "Proposed"> {
  if (reason === undefined) {
    await insertApiKey(sql, key);
    return "Inserted";
  }
  await insertProposal(sql, newId("prop"), key, { reason, replaces });
  return "Proposed";
}

/** Refusals: `insufficient_scope`, with every scope that the caller lacks. */
export function rejectScopesBeyond(maker: Pick<Maker, "scopes">, scopes: readonly Scope[]): void {
  const missing = scopesBeyond(maker, scopes);
  if (missing.length === 0) return;
  throw new Refusal(
    "insufficient_scope",
    `You can't give a key scopes that you lack yourself: ${missing.join(", ")}.`,
    { context: { requiredScopes: missing } },
  );
}

/** The key that this transaction wrote, as its tenant sees it. */
export async function readBack(
  { sql }: Pick<UnitOfWork, "sql">,
  book: TenantMode,
  { id }: NewApiKey,
): Promise<ApiKey> {
  const found = await readKey(sql, book, id);
  if (found === undefined) throw new Error(`key ${id} was written but can't be read`);
  return found;
}
