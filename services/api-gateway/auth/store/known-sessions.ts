import type { Role } from "../../../../contracts/http/roles.ts";
import { idOf, type Mode, type SessionId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { KnownSession } from "../domain/caller.ts";

interface KnownSessionRow {
  id: string;
  person_id: string;
  tenant_id: string;
  tenant_status: "Active" | "Suspended";
  principal: string;
  name: string;
  email: string;
  method: "Password" | "Demo" | "OpenId";
  has_given_password: boolean;
  signed_in_at: Date;
  ends_at: Date;
  last_used_at: Date;
  roles: { mode: Mode; role: Role }[];
}

/**
 * The session with this SHA-256. Undefined if it has ended, if its person is suspended, or if it began with a password
 * that somebody else set and that has expired. The caller checks `endsAt` and `lastUsedAt`.
 */
export async function findSessionByHash(sql: Sql, hash: Buffer): Promise<KnownSession | undefined> {
  return findSession(sql, "s.hash = $1", hash);
}

/** The same by its id, as it is now: what a gateway caches may be a second old. */
export async function findSessionById(sql: Sql, id: SessionId): Promise<KnownSession | undefined> {
  return findSession(sql, "s.id = $1", uuidOf(id));
}

async function findSession(sql: Sql, which: string, value: Buffer | string) {
  const [row] = await sql<KnownSessionRow>(
    `select s.id, s.person_id, p.tenant_id, t.status as tenant_status, p.principal, p.name, p.email, s.method,
       s.method = 'Password' and p.password_ends_at is not null as has_given_password,
       s.signed_in_at, s.ends_at, s.last_used_at, (
         select coalesce(jsonb_agg(jsonb_build_object('mode', r.mode, 'role', r.role) order by r.role), '[]')
         from person_role r
         where r.person_id = p.id
       ) as roles
     from session s
     join person p on p.id = s.person_id
     join tenant t on t.id = p.tenant_id
     where ${which}
       and s.ended_at is null
       and p.status = 'Active'
       and (s.method <> 'Password' or coalesce(p.password_ends_at > now(), true))`,
    [value],
  );
  return row && toSession(row);
}

function toSession({ roles, ...row }: KnownSessionRow): KnownSession {
  const inMode = (mode: Mode) => roles.filter((each) => each.mode === mode).map(({ role }) => role);
  return {
    id: idOf("ses", row.id),
    person: idOf("per", row.person_id),
    tenant: idOf("ten", row.tenant_id),
    tenantActive: row.tenant_status === "Active",
    principal: row.principal,
    name: row.name,
    email: row.email,
    hasGivenPassword: row.has_given_password,
    roles: { Test: inMode("Test"), Live: row.method === "Demo" ? [] : inMode("Live") },
    signedInAt: row.signed_in_at,
    endsAt: row.ends_at,
    lastUsedAt: row.last_used_at,
  };
}

/** Stores when sessions were last used, as `updateKeysLastUsed` does for keys. */
export async function updateSessionsLastUsed(
  sql: Sql,
  uses: readonly { readonly id: SessionId; readonly at: Date }[],
): Promise<void> {
  await sql(
    `update session s
     set last_used_at = u.at
     from (
       select l.id, n.at
       from unnest($1::uuid[], $2::timestamptz[]) as n (id, at)
       join session l on l.id = n.id
       where l.last_used_at < n.at
       order by l.id
       for no key update of l
     ) u
     where s.id = u.id`,
    [uses.map(({ id }) => uuidOf(id)), uses.map(({ at }) => at)],
  );
}
