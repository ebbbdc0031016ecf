import { Refusal } from "../../../contracts/errors.ts";
import { type Scope, scopes as allScopes } from "../../../contracts/http/scopes.ts";
import type { ApiKeyId, Mode, TenantId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { insertApiKey } from "./store/api-keys.ts";
import { refreshApprovalRight } from "./refresh-approval-right.ts";
import { lockPrincipal, newKey } from "./create-key.ts";
import { operator, parsePrincipal, rejectBadAddresses } from "./domain/key-format.ts";

export interface OperatorKeyRequest {
  readonly tenant: TenantId;
  readonly mode: Mode;
  /** The person or system that the key acts for: two keys of one principal count as one approver. */
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** The principal's name when omitted. */
  readonly name?: string;
  /** Addresses and CIDR blocks that may use the key; empty or omitted: every address. */
  readonly ipAllowlist?: readonly string[];
  readonly expiresAt?: Date;
}

/**
 * Creates a key as the operator, who may create any key, and returns it in clear. It can't be read again: only its
 * SHA-256 is stored. Refusals: `invalid_field` for a bad principal, scope or address block; `not_found` for the tenant.
 */
export async function createKeyAsOperator(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  request: OperatorKeyRequest,
): Promise<{ id: ApiKeyId; key: string }> {
  const principal = parsePrincipal(request.principal);
  rejectUnknownScopes(request.scopes);
  rejectBadAddresses(request.ipAllowlist ?? []);
  await lockPrincipal(unit.sql, request.tenant, principal);
  const { stored, key } = newKey(request, {
    name: request.name ?? principal,
    principal,
    scopes: request.scopes,
    ipAllowlist: request.ipAllowlist ?? [],
    expiresAt: request.expiresAt ?? null,
    createdBy: operator,
    createdByKey: null,
  });
  await insertApiKey(unit.sql, stored);
  await refreshApprovalRight(unit, stored);
  return { id: stored.id, key };
}

function rejectUnknownScopes(scopes: readonly Scope[]): void {
  const unknown = scopes.filter((scope) => !allScopes.includes(scope));
  if (scopes.length === 0 || unknown.length > 0) {
    throw new Refusal("invalid_field", `Send at least one of these scopes: ${allScopes.join(", ")}.`);
  }
}
