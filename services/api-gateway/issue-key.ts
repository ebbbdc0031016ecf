import ipaddr from "ipaddr.js";
import { Refusal } from "../../contracts/errors.ts";
import { type Scope, scopes as knownScopes } from "../../contracts/http/scopes.ts";
import { type ApiKeyId, type Mode, newId, type TenantId } from "../../contracts/ids.ts";
import type { Sql } from "../platform/persistence/sql.ts";
import { hashOf, mintKey, partsShownOf } from "./edge/api-key.ts";
import { findPrincipalLike, insertApiKey } from "./store/api-keys.ts";

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
 * Makes a key and answers with it in clear: the only time that it is seen, for only its SHA-256 is stored.
 * Refusals: `invalid_field` for a principal, a scope or an address block that can't be.
 */
export async function issueKey(sql: Sql, asked: KeyRequest): Promise<{ id: ApiKeyId; key: string }> {
  // "maker " and "Maker" must not pass for other people than "maker": approvals count principals.
  const request = { ...asked, principal: asked.principal.normalize("NFC").trim() };
  refuseWhatCannotBe(request);
  const alike = await findPrincipalLike(sql, request.tenant, request.principal);
  if (alike !== undefined && alike !== request.principal) {
    throw new Refusal(
      "invalid_field",
      `There is a principal ${alike}: name it exactly so, or take another name.`,
    );
  }
  const key = mintKey(request.mode);
  const id = newId("key");
  await insertApiKey(sql, {
    id,
    tenant: request.tenant,
    mode: request.mode,
    hash: hashOf(key),
    ...partsShownOf(key),
    name: request.name ?? request.principal,
    principal: request.principal,
    scopes: [...new Set(request.scopes)],
    ipAllowlist: request.ipAllowlist ?? [],
    expiresAt: request.expiresAt ?? null,
  });
  return { id, key };
}

function refuseWhatCannotBe(request: KeyRequest): void {
  if (request.principal === "" || request.principal.length > 100 || /[\p{C}]/u.test(request.principal)) {
    throw new Refusal("invalid_field", "Name the principal in 1 to 100 characters that can be seen.");
  }
  const unknown = request.scopes.filter((scope) => !knownScopes.includes(scope));
  if (request.scopes.length === 0 || unknown.length > 0) {
    throw new Refusal("invalid_field", `Give at least one scope, of these: ${knownScopes.join(", ")}.`);
  }
  const malformed = (request.ipAllowlist ?? []).filter(
    (block) => !ipaddr.isValid(block) && !ipaddr.isValidCIDR(block),
  );
  if (malformed.length > 0) {
    throw new Refusal(
      "invalid_field",
      `Give addresses or CIDR blocks; these are neither: ${malformed.join(", ")}.`,
    );
  }
}
