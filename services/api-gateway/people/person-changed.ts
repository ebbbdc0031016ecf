import { bookIdOf, type PersonId, type TenantId } from "../../../contracts/ids/ids.ts";
import { PersonChanged } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { type EndOfSession, endSessionsOf } from "./store/sessions.ts";

interface Whose {
  readonly id: PersonId;
  readonly tenant: TenantId;
}

/** Asks every gateway to look up the person's sessions again: one of them has ended, or their roles have changed. */
export function publishPersonChanged({ outbox }: Pick<UnitOfWork, "outbox">, { id, tenant }: Whose): void {
  outbox.add(PersonChanged, { book: bookIdOf(tenant, "Test"), subject: id, data: { personId: id } });
}

/** Ends all sessions of a person, in every instance within a second. */
export async function endAllSessions(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  person: Whose,
  because: EndOfSession,
): Promise<void> {
  await endSessionsOf(unit.sql, person.id, because);
  publishPersonChanged(unit, person);
}
