import { Refusal } from "../../../contracts/errors.ts";
import type { Role } from "../../../contracts/http/roles.ts";
import { type Mode, newId, type PersonId, type TenantId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { refreshApprovalRight } from "../keys/refresh-approval-right.ts";
import { lockPrincipal } from "../keys/create-key.ts";
import { operator, parsePrincipal } from "../keys/domain/key-format.ts";
import { parseName } from "../tenants/create-tenant.ts";
import { emailText } from "./domain/email.ts";
import { hashPassword, invitationEnd, mintPassword } from "./passwords.ts";
import { type AuditEntry, commandLineSource, insertAuditEntry } from "../audit/store/audit.ts";
import { insertPerson, insertRoles } from "./store/people.ts";

export interface Invitation {
  readonly tenant: TenantId;
  readonly principal: string;
  readonly email: string;
  readonly name: string;
  readonly roles: Readonly<Record<Mode, readonly Role[]>>;
  /** The password to set; undefined: a new one that ends after seven days. */
  readonly password?: string | undefined;
  /** Who invites, for the log; `operator` by default. */
  readonly by?: string;
  /** Signs in without a password, in a sandbox. */
  readonly isDemo?: boolean;
}

/**
 * Creates a person as the operator, who may give any role. The password can't be read again: only its hash is stored.
 * Refusals: `invalid_field` for a bad principal, email or name; `name_taken` for an email or a principal that is
 * another person's of the tenant; `not_found` for the tenant.
 */
export async function invitePerson(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  invitation: Invitation,
): Promise<{ id: PersonId; password: string }> {
  const principal = parsePrincipal(invitation.principal);
  const { data: email } = emailText.safeParse(invitation.email);
  if (email === undefined) throw new Refusal("invalid_field", "Send an email address.");
  const { tenant, roles, by = operator, isDemo = false } = invitation;
  await lockPrincipal(unit.sql, tenant, principal);
  const password = invitation.password ?? mintPassword();
  const id = newId("per");
  const isNew = await insertPerson(unit.sql, {
    id,
    tenant,
    principal,
    email,
    name: parseName(invitation.name),
    passwordHash: isDemo ? null : await hashPassword(password),
    passwordEndsAt: invitation.password === undefined ? invitationEnd() : null,
    isDemo,
    createdBy: operator,
  });
  if (!isNew) throw new Refusal("name_taken", "A person has this email or principal already.");
  for (const mode of ["Test", "Live"] as const) {
    await insertRoles(unit.sql, id, mode, roles[mode], operator);
    if (roles[mode].includes("Approver")) {
      await refreshApprovalRight(unit, { tenant, mode, principal, scopes: ["orders:approve"] });
    }
  }
  const entry: AuditEntry = {
    tenant,
    mode: null,
    actor: by,
    action: "PersonInvited",
    objectId: id,
    person: id,
  };
  await insertAuditEntry(unit.sql, { ...entry, details: { principal, roles } }, commandLineSource);
  return { id, password };
}
