import type { Scope } from "../../../contracts/http/scopes.ts";
import { bookIdOf } from "../../../contracts/ids/ids.ts";
import { ApprovalRightChanged } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { TenantMode } from "./store/api-keys.ts";
import { updateApprovalRight } from "./store/approval-rights.ts";

const approving: Scope = "orders:approve";

/**
 * Publishes until when a principal may approve, by any key in force or as a person; nothing if the scopes that were
 * given or taken can't approve, or if that makes no difference. Call it after every change of a key or role, under the
 * tenant's lock: of two keys that are revoked at once, the second revocation sees the first. A right that ended with
 * the change of sequence `continues` goes on, and is not held anew.
 */
export async function publishApprovalRight(
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
