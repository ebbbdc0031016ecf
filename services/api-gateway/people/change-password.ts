import { Refusal } from "../../../contracts/errors.ts";
import type { PersonId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { hashPassword, invitationEnd, mintPassword, tryPassword } from "./passwords.ts";
import { endAllSessions } from "./person-changed.ts";
import { type SignedIn, type SignIn, startSession } from "./start-session.ts";
import { fromCommandLine, insertAuditEntry } from "./store/audit.ts";
import { removePasskeysOf } from "./store/passkeys.ts";
import { lockPerson, lockPersonByEmail, setPassword } from "./store/people.ts";

export interface NewPassword {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/**
 * Sets a person's own password, ends their sessions and starts a new one. Returns undefined if the current password is
 * wrong. That counts as a failed sign-in, so that somebody who stole a session can't guess the password.
 */
export async function changePassword(
  unit: UnitOfWork,
  id: PersonId,
  { currentPassword, newPassword }: NewPassword,
  how: SignIn,
): Promise<SignedIn | undefined> {
  const person = await lockPerson(unit.sql, id);
  const attempt = { from: how.from, details: { method: "PasswordChange" } };
  const isRight = await tryPassword(unit.sql, person, currentPassword, attempt);
  if (person === undefined || !isRight) return undefined;
  await setPassword(unit.sql, id, { hash: await hashPassword(newPassword), endsAt: null });
  await endAllSessions(unit, person, "PasswordChanged");
  const { tenant, principal } = person;
  const entry = { tenant, mode: null, actor: principal, action: "PasswordChanged", objectId: id, person: id };
  await insertAuditEntry(unit.sql, entry, how.from);
  return startSession(unit, person, "Password", how);
}

/**
 * Sets a new password as the operator, ends the person's sessions, removes their passkeys, which they may have lost,
 * and forgets their failed sign-ins. Without a password it sets a new one, which ends after seven
 * days. Refusal: `not_found`.
 */
export async function recoverPerson(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  { email, password, by }: { readonly email: string; readonly password?: string; readonly by: string },
): Promise<{ id: PersonId; password: string }> {
  const person = await lockPersonByEmail(unit.sql, email);
  if (person === undefined) throw new Refusal("not_found", `There is no person with the email ${email}.`);
  const { id, tenant } = person;
  const set = password ?? mintPassword();
  const endsAt = password === undefined ? invitationEnd() : null;
  await setPassword(unit.sql, id, { hash: await hashPassword(set), endsAt });
  await endAllSessions(unit, person, "PasswordChanged");
  await removePasskeysOf(unit.sql, id);
  const entry = { tenant, mode: null, actor: by, action: "PasswordRecovered", objectId: id, person: id };
  await insertAuditEntry(unit.sql, entry, fromCommandLine);
  return { id, password: set };
}
