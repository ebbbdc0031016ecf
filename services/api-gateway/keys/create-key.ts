import { Refusal } from "../../../contracts/errors.ts";
import { type Scope, scopes as knownScopes } from "../../../contracts/http/scopes.ts";
import { type ApiKeyId, type Mode, newId, type TenantId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { operator, principalOf, refuseBadAddresses } from "./domain/key-format.ts";
import { hashOf, mintKey, partsShownOf } from "../auth/api-key.ts";
import { insertApiKey, type KeyBook, type NewApiKey } from "../auth/store/api-keys.ts";
import { findPrincipalLike, lockTenantKeys, type Principal } from "./store/principals.ts";

export interface KeyRequest {
  readonly tenant: TenantId;
  readonly mode: Mode;
  /** The person or system that the key speaks for: two keys of one principal count as one approver. */
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** What a person calls it; the principal's name when omitted. */
  readonly name?: string;
  /** Addresses and CIDR blocks that it works from; empty or omitted: every address. */
  readonly ipAllowlist?: readonly string[];
  readonly expiresAt?: Date;
}

/**
 * Makes a key as the operator, any key for anybody, and answers with it in clear: the only time that it is seen, for
 * only its SHA-256 is stored. Refusals: `invalid_field` for a principal, a scope or an address block that can't be;
 * `not_found` for the tenant.
 */
export async function issueKey(sql: Sql, asked: KeyRequest): Promise<{ id: ApiKeyId; key: string }> {
  const principal = principalOf(asked.principal);
  refuseBadScopes(asked.scopes);
  refuseBadAddresses(asked.ipAllowlist ?? []);
  await knownPrincipal(sql, asked.tenant, principal);
  const { stored, key } = newKey(asked, {
    name: asked.name ?? principal,
    principal,
    scopes: asked.scopes,
    ipAllowlist: asked.ipAllowlist ?? [],
    expiresAt: asked.expiresAt ?? null,
    createdBy: operator,
  });
  await insertApiKey(sql, stored);
  return { id: stored.id, key };
}

/** Mints a key for a book: what is kept of it, and the key itself, to be shown this once. */
export function newKey(
  book: KeyBook,
  says: Pick<NewApiKey, "name" | "principal" | "scopes" | "ipAllowlist" | "expiresAt" | "createdBy">,
): { stored: NewApiKey; key: string } {
  const key = mintKey(book.mode);
  const stored = {
    ...says,
    id: newId("key"),
    tenant: book.tenant,
    mode: book.mode,
    hash: hashOf(key),
    ...partsShownOf(key),
    scopes: [...new Set(says.scopes)],
  };
  return { stored, key };
}

/**
 * The tenant's principal of that name, undefined for a new one. Keys of the tenant are made by one at a time from
 * here on. Refusals: `invalid_field` for one that differs from another in case alone; `not_found` for the tenant.
 */
export async function knownPrincipal(
  sql: Sql,
  tenant: TenantId,
  name: string,
): Promise<Principal | undefined> {
  const [thereIs, alike] = await Promise.all([
    lockTenantKeys(sql, tenant),
    findPrincipalLike(sql, tenant, name),
  ]);
  if (!thereIs) throw new Refusal("not_found", `There is no tenant ${tenant}.`);
  if (alike === undefined || alike.name === name) return alike;
  const message = `There is a principal ${alike.name}: name it exactly so, or take another name.`;
  throw new Refusal("invalid_field", message, {
    errors: [{ pointer: "/principal", code: "invalid_field", message }],
  });
}

function refuseBadScopes(scopes: readonly Scope[]): void {
  const unknown = scopes.filter((scope) => !knownScopes.includes(scope));
  if (scopes.length === 0 || unknown.length > 0) {
    throw new Refusal("invalid_field", `Give at least one scope, of these: ${knownScopes.join(", ")}.`);
  }
}
