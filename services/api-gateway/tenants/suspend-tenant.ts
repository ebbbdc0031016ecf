import { Refusal } from "../../../contracts/errors.ts";
import { bookIdOf, type Mode, type TenantId } from "../../../contracts/ids/ids.ts";
import { TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { changeTenantStatus } from "./store/tenants.ts";

const modes: readonly Mode[] = ["Test", "Live"];

/**
 * Suspends a tenant: its keys get 401 `tenant_inactive`, and orders lets nothing of it into a rail. One message per
 * book goes out with the change, in its transaction. Answers false when it was suspended already.
 * Refusal: `not_found`.
 */
export function suspendTenant(unit: Pick<UnitOfWork, "sql" | "outbox">, id: TenantId): Promise<boolean> {
  return setActive(unit, id, false);
}

/** Lets a suspended tenant in again. Answers false when it was active already. Refusal: `not_found`. */
export function reactivateTenant(unit: Pick<UnitOfWork, "sql" | "outbox">, id: TenantId): Promise<boolean> {
  return setActive(unit, id, true);
}

async function setActive(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  id: TenantId,
  active: boolean,
): Promise<boolean> {
  const outcome = await changeTenantStatus(unit.sql, id, active ? "Active" : "Suspended");
  if (outcome === undefined) throw new Refusal("not_found", `There is no tenant ${id}.`);
  if (!outcome.changed) return false;
  for (const mode of modes) {
    unit.outbox.add(TenantStatusChanged, {
      book: bookIdOf(id, mode),
      subject: id,
      data: { tenantId: id, active },
    });
  }
  return true;
}
