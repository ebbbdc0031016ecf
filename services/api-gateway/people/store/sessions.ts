import { idOf, type PersonId, type SessionId, type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { AuditSource } from "../../audit/store/audit.ts";

export type SignInMethod = "Password" | "Demo" | "OpenId";
/** Why a session ended before its time. */
export type EndOfSession =
  | "SignedOut"
  | "SignedInAgain"
  | "EndedByPerson"
  | "PasswordChanged"
  | "PersonSuspended";

interface NewSession {
  readonly id: SessionId;
  readonly person: PersonId;
  readonly hash: Buffer;
  readonly method: SignInMethod;
  readonly endsAt: Date;
}

const maxUserAgent = 200;

export async function insertSession(sql: Sql, session: NewSession, from: AuditSource): Promise<void> {
  await sql(
    `insert into session (id, person_id, hash, method, address, user_agent, ends_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      uuidOf(session.id),
      uuidOf(session.person),
      session.hash,
      session.method,
      from.address ?? "",
      from.userAgent?.slice(0, maxUserAgent) ?? null,
      session.endsAt,
    ],
  );
}

/** Ends the session of a cookie, and returns whose it was; undefined if it has ended, or never was. */
export async function endSessionByHash(
  sql: Sql,
  hash: Buffer,
  because: EndOfSession,
): Promise<{ readonly id: PersonId; readonly tenant: TenantId } | undefined> {
  const [row] = await sql<{ id: string; tenant_id: string }>(
    `update session s
     set ended_at = now(),
         ended_because = $2
     from person p
     where s.hash = $1
       and s.ended_at is null
       and p.id = s.person_id
     returning p.id, p.tenant_id`,
    [hash, because],
  );
  return row && { id: idOf("per", row.id), tenant: idOf("ten", row.tenant_id) };
}

/** Ends one session of a person. False if it is none of theirs or has ended. */
export async function endSession(
  sql: Sql,
  person: PersonId,
  id: SessionId,
  because: EndOfSession,
): Promise<boolean> {
  const ended = await sql(
    `update session
     set ended_at = now(),
         ended_because = $3
     where id = $2
       and person_id = $1
       and ended_at is null
     returning id`,
    [uuidOf(person), uuidOf(id), because],
  );
  return ended.length > 0;
}

/** Ends every session of a person. */
export async function endSessionsOf(sql: Sql, person: PersonId, because: EndOfSession): Promise<void> {
  await sql(
    "update session set ended_at = now(), ended_because = $2 where person_id = $1 and ended_at is null",
    [uuidOf(person), because],
  );
}

/** The addresses from which a person has signed in during the last thirty days. */
export async function listKnownAddresses(sql: Sql, person: PersonId): Promise<string[]> {
  const rows = await sql<{ address: string }>(
    `select distinct address
     from session
     where person_id = $1
       and signed_in_at > now() - interval '30 days'`,
    [uuidOf(person)],
  );
  return rows.map(({ address }) => address);
}
