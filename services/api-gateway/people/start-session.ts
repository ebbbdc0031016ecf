import { newId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { KnownSession } from "../auth/domain/caller.ts";
import { hashOfToken, mintSessionToken } from "../auth/session-cookie.ts";
import { findSessionById } from "../auth/store/known-sessions.ts";
import { publishPersonChanged } from "./person-changed.ts";
import { type AuditSource, insertAuditEntry } from "../audit/store/audit.ts";
import type { Person } from "./store/people.ts";
import { endSessionByHash, insertSession, type SignInMethod } from "./store/sessions.ts";

const hourMs = 3_600_000;

export interface SignIn {
  readonly from: AuditSource;
  /** The token that the browser had before. Its session ends, whoever it belongs to. */
  readonly before: string | null | undefined;
  readonly maxHours: number;
}

export interface SignedIn {
  /** For the cookie, shown only once. */
  readonly token: string;
  readonly session: KnownSession;
}

/**
 * Starts a session under a new token, because somebody else may have set the one that the browser sent. The caller has
 * verified the person.
 */
export async function startSession(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  person: Person,
  method: SignInMethod,
  { from, before, maxHours }: SignIn,
): Promise<SignedIn> {
  const { sql } = unit;
  if (typeof before === "string") {
    const whose = await endSessionByHash(sql, hashOfToken(before), "SignedInAgain");
    if (whose !== undefined) publishPersonChanged(unit, whose);
  }
  const token = mintSessionToken();
  const id = newId("ses");
  const endsAt = new Date(Date.now() + maxHours * hourMs);
  await insertSession(sql, { id, person: person.id, hash: hashOfToken(token), method, endsAt }, from);
  const session = await findSessionById(sql, id);
  if (session === undefined) throw new Error(`session ${id} was started but can't be read`);
  const { tenant, principal } = person;
  await insertAuditEntry(
    sql,
    {
      tenant,
      mode: null,
      actor: principal,
      action: "SignedIn",
      objectId: id,
      person: person.id,
      details: { method, ...(session.hasGivenPassword ? { password: "Given" } : {}) },
    },
    from,
  );
  return { token, session };
}
