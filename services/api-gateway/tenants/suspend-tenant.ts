import { Refusal } from "../../../contracts/errors.ts";
import { bookIdOf, type Mode, type TenantId } from "../../../contracts/ids/ids.ts";
import { TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { updateTenantStatus } from "./store/tenants.ts";

const modes: readonly Mode[] = ["Test", "Live"];

/**
 * Suspends a tenant: its keys get 401 `tenant_inactive`, and none of its orders is handed to a rail. Publishes one
 * event per book in the same transaction. Returns false if the tenant is already suspended. Refusals: `not_found`.
 */
export function suspendTenant(unit: Pick<UnitOfWork, "sql" | "outbox">, id: TenantId): Promise<boolean> {
  return setActive(unit, id, false);
}

/** Returns false if the tenant is already active. Refusals: `not_found`. */
export function reactivateTenant(unit: Pick<UnitOfWork, "sql" | "outbox">, id: TenantId): Promise<boolean> {
  return setActive(unit, id, true);
}

async function setActive(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  id: TenantId,
  active: boolean,
): Promise<boolean> {
  const version = await updateTenantStatus(unit.sql, id, active ? "Active" : "Suspended");
  if (version === undefined) throw new Refusal("not_found", `There is no tenant ${id}.`);
  if (version === null) return false;
  for (const mode of modes) {
    unit.outbox.add(TenantStatusChanged, {
      book: bookIdOf(id, mode),
      subject: id,
      sequence: version,
      data: { tenantId: id, active },
    });
  }
  return true;
}
