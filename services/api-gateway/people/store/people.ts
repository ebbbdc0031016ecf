import type { Role, RolesByMode } from "../../../../contracts/http/roles.ts";
import {
  idOf,
  type Mode,
  type PersonId,
  type SessionId,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** What a sign-in needs of a person. */
export interface Person {
  readonly id: PersonId;
  readonly tenant: TenantId;
  readonly tenantActive: boolean;
  readonly active: boolean;
  readonly principal: string;
  readonly email: string;
  readonly passwordHash: string | null;
  /** When a password that somebody else has set ends; null: never. */
  readonly passwordEndsAt: Date | null;
  readonly isDemo: boolean;
}

interface PersonRow {
  id: string;
  tenant_id: string;
  tenant_status: "Active" | "Suspended";
  status: "Active" | "Suspended";
  principal: string;
  email: string;
  password_hash: string | null;
  password_ends_at: Date | null;
  is_demo: boolean;
}

const lockedPerson = (which: string) =>
  `select p.id, p.tenant_id, t.status as tenant_status, p.status, p.principal, p.email,
     p.password_hash, p.password_ends_at,
     p.is_demo
   from person p
   join tenant t on t.id = p.tenant_id
   where ${which}
   for no key update of p`;
const hasEmail = "casefold(p.email collate pg_unicode_fast) = casefold($1 collate pg_unicode_fast)";
const lockByEmail = lockedPerson(`${hasEmail} and p.tenant_id = $2`);
/**
 * Those who can sign in come first, so that nobody else takes their place within the limit; among them, whoever signed
 * in last. The ids of sessions ascend in time.
 */
const lockAllOfEmail = lockedPerson(
  `${hasEmail}
     and p.tenant_id <> all ($2::uuid[])
     and ($3::uuid is null or p.tenant_id = $3)
   order by
     p.status = 'Active' and t.status = 'Active' desc,
     (select s.id from session s where s.person_id = p.id order by s.id desc limit 1) desc nulls last,
     p.id
   limit $4`,
);
const lockById = lockedPerson("p.id = $1");
/** A new sandbox on an old database has people of the same names: the youngest tenant's count. */
const youngestDemoTenant =
  "select d.tenant_id from person d where d.is_demo order by d.tenant_id desc limit 1";
const lockDemo = lockedPerson(`p.principal = $1 and p.is_demo and p.tenant_id = (${youngestDemoTenant})`);

function toPerson(row: PersonRow): Person {
  return {
    id: idOf("per", row.id),
    tenant: idOf("ten", row.tenant_id),
    tenantActive: row.tenant_status === "Active",
    active: row.status === "Active",
    principal: row.principal,
    email: row.email,
    passwordHash: row.password_hash,
    passwordEndsAt: row.password_ends_at,
    isDemo: row.is_demo,
  };
}

/** Finds and locks the tenant's person of this email. */
export async function lockPersonByEmail(
  sql: Sql,
  tenant: TenantId,
  email: string,
): Promise<Person | undefined> {
  const [row] = await sql<PersonRow>(lockByEmail, [email, uuidOf(tenant)]);
  return row && toPerson(row);
}

interface Candidates {
  /** The only tenant to look in; undefined: in all. */
  readonly tenant: TenantId | undefined;
  readonly exceptIn: readonly TenantId[];
  readonly limit: number;
}

/**
 * At most `limit` people of an email: those who can sign in before the others, and among them the latest sign-in
 * first. Leaves out the tenants of `exceptIn`. Locks the email, so that attempts wait for one another whether or not
 * anybody has it, and the people, so that one attempt is counted before the next begins.
 */
export async function lockPeopleOfEmail(
  sql: Sql,
  email: string,
  { tenant, exceptIn, limit }: Candidates,
): Promise<Person[]> {
  await sql(
    "select pg_advisory_xact_lock(hashtextextended('sign-in ' || casefold($1 collate pg_unicode_fast), 0))",
    [email],
  );
  const only = tenant === undefined ? null : uuidOf(tenant);
  const rows = await sql<PersonRow>(lockAllOfEmail, [email, exceptIn.map(uuidOf), only, limit]);
  return rows.map(toPerson);
}

export async function lockPerson(sql: Sql, id: PersonId): Promise<Person | undefined> {
  const [row] = await sql<PersonRow>(lockById, [uuidOf(id)]);
  return row && toPerson(row);
}

export async function lockDemoPerson(sql: Sql, principal: string): Promise<Person | undefined> {
  const [row] = await sql<PersonRow>(lockDemo, [principal]);
  return row && toPerson(row);
}

/** Whether the session began with a password that somebody else has set, and that nobody has changed since. */
export async function isByGivenPassword(sql: Sql, session: SessionId): Promise<boolean> {
  const given = await sql(
    `select from session s
     join person p on p.id = s.person_id
     where s.id = $1
       and s.method = 'Password'
       and p.password_ends_at is not null`,
    [uuidOf(session)],
  );
  return given.length > 0;
}

export interface NewPerson {
  readonly id: PersonId;
  readonly tenant: TenantId;
  readonly principal: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly passwordEndsAt: Date | null;
  readonly isDemo: boolean;
  /** A principal, or `operator`. */
  readonly createdBy: string;
}

/** False if another person of the tenant has that email, in any case, or that principal. */
export async function insertPerson(sql: Sql, person: NewPerson): Promise<boolean> {
  const inserted = await sql(
    `insert into person
       (id, tenant_id, principal, email, name, password_hash, password_ends_at, is_demo, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing
     returning id`,
    [
      uuidOf(person.id),
      uuidOf(person.tenant),
      person.principal,
      person.email,
      person.name,
      person.passwordHash,
      person.passwordEndsAt,
      person.isDemo,
      person.createdBy,
    ],
  );
  return inserted.length > 0;
}

export async function setPassword(
  sql: Sql,
  person: PersonId,
  { hash, endsAt }: { readonly hash: string; readonly endsAt: Date | null },
): Promise<void> {
  await sql("update person set password_hash = $2, password_ends_at = $3 where id = $1", [
    uuidOf(person),
    hash,
    endsAt,
  ]);
}

/** Gives roles in a mode; those that the person has already stay as they are. */
export async function insertRoles(
  sql: Sql,
  person: PersonId,
  mode: Mode,
  roles: readonly Role[],
  by: string,
): Promise<void> {
  await sql(
    `insert into person_role (person_id, mode, role, given_by)
     select $1, $2, r.role, $4
     from unnest($3::text[]) as r (role)
     on conflict on constraint person_role_pkey do nothing`,
    [uuidOf(person), mode, roles, by],
  );
}

/** A person who signs in with a click. */
export interface DemoPerson {
  readonly principal: string;
  readonly name: string;
  readonly roles: { readonly Test: readonly Role[]; readonly Live: readonly Role[] };
}

/** At most twenty, oldest first. Their sessions have no role in Live. */
export async function listDemoPeople(sql: Sql): Promise<DemoPerson[]> {
  const rows = await sql<{ principal: string; name: string; roles: Role[] }>(
    `select p.principal, p.name, array(
         select r.role
         from person_role r
         where r.person_id = p.id
           and r.mode = 'Test'
         order by r.role
       ) as roles
     from person p
     join tenant t on t.id = p.tenant_id
     where p.is_demo
       and p.tenant_id = (${youngestDemoTenant})
       and p.status = 'Active'
       and t.status = 'Active'
     order by p.id
     limit 20`,
  );
  return rows.map(({ principal, name, roles }) => ({ principal, name, roles: { Test: roles, Live: [] } }));
}

interface OperatorPersonRow {
  readonly id: PersonId;
  readonly principal: string;
  readonly email: string;
  readonly name: string;
  readonly status: "Active" | "Suspended";
  readonly roles: RolesByMode;
}

/** The people of an email in all tenants, by the tenants' names. */
export async function listPeopleOfEmail(
  sql: Sql,
  email: string,
): Promise<{ readonly id: PersonId; readonly tenant: { readonly id: TenantId; readonly name: string } }[]> {
  const rows = await sql<{ id: string; tenant: string; name: string }>(
    `select p.id, p.tenant_id as tenant, t.name
     from person p
     join tenant t on t.id = p.tenant_id
     where ${hasEmail}
     order by t.name`,
    [email],
  );
  return rows.map(({ id, tenant, name }) => ({
    id: idOf("per", id),
    tenant: { id: idOf("ten", tenant), name },
  }));
}

/** A tenant's people, oldest first. */
export async function listPeopleForOperator(sql: Sql, tenant: TenantId): Promise<OperatorPersonRow[]> {
  const rows = await sql<
    Omit<OperatorPersonRow, "id" | "roles"> & { id: string; test: Role[]; live: Role[] }
  >(
    `select p.id, p.principal, p.email, p.name, p.status,
       array(select r.role from person_role r where r.person_id = p.id and r.mode = 'Test' order by r.role) as test,
       array(select r.role from person_role r where r.person_id = p.id and r.mode = 'Live' order by r.role) as live
     from person p
     where p.tenant_id = $1
     order by p.id`,
    [uuidOf(tenant)],
  );
  return rows.map(({ id, test, live, ...row }) => ({
    ...row,
    id: idOf("per", id),
    roles: { Test: test, Live: live },
  }));
}
