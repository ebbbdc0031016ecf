import { Refusal } from "../../../contracts/errors.ts";
import type { PersonId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { rejectWeakPassword } from "./domain/password-rules.ts";
import { hashPassword, invitationEnd, mintPassword, tryPassword } from "./passwords.ts";
import { endAllSessions } from "./person-changed.ts";
import { type SignedIn, type SignIn, startSession } from "./start-session.ts";
import { type AuditEntry, commandLineSource, insertAuditEntry } from "../audit/store/audit.ts";
import { removePasskeysOf } from "./store/passkeys.ts";
import { lockPerson, setPassword } from "./store/people.ts";

export interface NewPassword {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/**
 * Sets a person's own password, ends their sessions and starts a new one. Returns undefined if the current password is
 * wrong. That counts as a failed sign-in, so that somebody who stole a session can't guess the password. Refusals:
 * `invalid_field` for a new password that others may know or guess.
 */
export async function changePassword(
  unit: UnitOfWork,
  id: PersonId,
  { currentPassword, newPassword }: NewPassword,
  how: SignIn,
): Promise<SignedIn | undefined> {
  const person = await lockPerson(unit.sql, id);
  if (person === undefined) return undefined;
  const attempt = { from: how.from, details: { method: "PasswordChange" }, verifications: 1 };
  if ((await tryPassword(unit.sql, [person], currentPassword, attempt)) === undefined) return undefined;
  rejectWeakPassword(newPassword, { currentPassword, ...person });
  await setPassword(unit.sql, id, { hash: await hashPassword(newPassword), endsAt: null });
  await endAllSessions(unit, person, "PasswordChanged");
  const { tenant, principal } = person;
  const entry: AuditEntry = {
    tenant,
    mode: null,
    actor: principal,
    action: "PasswordChanged",
    objectId: id,
    person: id,
  };
  // Whoever gave the first password could have changed it: the log shows from where that was done.
  const details = person.passwordEndsAt === null ? {} : { before: "Given" };
  await insertAuditEntry(unit.sql, { ...entry, details }, how.from);
  return startSession(unit, person, "Password", how);
}

/**
 * Sets a new password as the operator, ends the person's sessions, removes their passkeys, which they may have lost,
 * and forgets their failed sign-ins. Without a password it sets a new one, which ends after seven
 * days. Refusals: `not_found`.
 */
export async function recoverPerson(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  { id, password, by }: { readonly id: PersonId; readonly password?: string; readonly by: string },
): Promise<{ id: PersonId; password: string }> {
  const person = await lockPerson(unit.sql, id);
  if (person === undefined) throw new Refusal("not_found", `There is no person ${id}.`);
  const { tenant } = person;
  const set = password ?? mintPassword();
  const endsAt = password === undefined ? invitationEnd() : null;
  await setPassword(unit.sql, id, { hash: await hashPassword(set), endsAt });
  await endAllSessions(unit, person, "PasswordChanged");
  await removePasskeysOf(unit.sql, id);
  const entry: AuditEntry = {
    tenant,
    mode: null,
    actor: by,
    action: "PasswordRecovered",
    objectId: id,
    person: id,
  };
  await insertAuditEntry(unit.sql, entry, commandLineSource);
  return { id, password: set };
}
