import type { AuditAction } from "../../../contracts/http/audit-actions.ts";
import {
  type AuditEntry,
  commandLineSource,
  insertAuditEntries,
} from "../../../services/api-gateway/audit/store/audit.ts";
import type { Given } from "../command-line/given.ts";
import type { Work } from "./gateway-work.ts";

/** Adds to the tenant's audit log what the operator does to objects, in the transaction that does it. */
export function record(
  { sql }: Work,
  given: Given,
  where: Pick<AuditEntry, "tenant" | "mode">,
  done: readonly (readonly [AuditAction, objectId: string, details?: AuditEntry["details"]])[],
): Promise<void> {
  const { tenant, mode } = where;
  const by = { tenant, mode, actor: `operator:${given.by}`, person: null };
  const entries = done.map(([action, objectId, details = {}]) => ({ ...by, action, objectId, details }));
  return insertAuditEntries(sql, entries, commandLineSource);
}
