import type { AuditAction } from "../../../contracts/http/audit-actions.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import type { AuditEntry } from "./store/audit.ts";

/** The entry about what a caller has done. Members of the details that are undefined are not stored. */
export function entryOf(
  { tenant, mode, principal, session, apiKeyId }: KnownCaller,
  action: AuditAction,
  objectId: string | null,
  details: AuditEntry["details"],
): AuditEntry {
  return {
    tenant,
    mode,
    actor: principal,
    action,
    objectId,
    person: session?.person ?? null,
    details: { ...details, apiKeyId: apiKeyId ?? undefined },
  };
}
