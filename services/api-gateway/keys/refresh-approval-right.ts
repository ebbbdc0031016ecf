import type { Scope } from "../../../contracts/http/scopes.ts";
import { bookIdOf } from "../../../contracts/ids/ids.ts";
import { ApprovalRightChanged } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { TenantMode } from "./store/api-keys.ts";
import { updateApprovalRight } from "./store/approval-rights.ts";

const approving: Scope = "orders:approve";

/**
 * Recomputes until when a principal may approve, stores it, and publishes it if it changed. Does nothing if the scopes
 * of the changed key or role can't approve. Call it after every change of a key or role, under the tenant's lock: of
 * two keys that are revoked at once, the second revocation sees the first.
 *
 * If the latest change of the right is the one numbered `continues`, and it ended the right, the right continues as if
 * it had not ended: approvals from before that change still count.
 */
export async function refreshApprovalRight(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  { tenant, mode, principal, scopes }: TenantMode & { principal: string; scopes: readonly Scope[] },
  { continues }: { readonly continues: number | null } = { continues: null },
): Promise<void> {
  if (!scopes.includes(approving)) return;
  const changed = await updateApprovalRight(unit.sql, { tenant, mode }, principal, { continues });
  if (changed === undefined) return;
  const { sequence, heldUntil, heldSince } = changed;
  unit.outbox.add(ApprovalRightChanged, {
    book: bookIdOf(tenant, mode),
    subject: principal,
    sequence,
    data: {
      principal,
      heldUntil: heldUntil?.toISOString() ?? null,
      heldSince: heldSince?.toISOString() ?? null,
    },
  });
}
