import { setImmediate } from "node:timers/promises";
import { type ApiKeyId, idOf, type Mode, type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { isSamePrincipal } from "../../../../contracts/text/principals.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { TenantMode } from "./api-keys.ts";

/**
 * Lets one transaction at a time create keys of a tenant: two concurrent creates could introduce two spellings of one
 * principal. Reads are not blocked. Returns whether the tenant exists.
 */
export async function lockTenantKeys(sql: Sql, tenant: TenantId): Promise<boolean> {
  const rows = await sql("select 1 from tenant where id = $1 for no key update", [uuidOf(tenant)]);
  return rows.length > 0;
}

/** The same for the tenant of a key. Returns the key's book; undefined if there is no such key. */
export async function lockTenantOfKey(sql: Sql, key: ApiKeyId): Promise<TenantMode | undefined> {
  const [row] = await sql<{ tenant_id: string; mode: Mode }>(
    `select k.tenant_id, k.mode
     from api_key k
     join tenant t on t.id = k.tenant_id
     where k.id = $1
     for no key update of t`,
    [uuidOf(key)],
  );
  return row && { tenant: idOf("ten", row.tenant_id), mode: row.mode };
}

/** The condition of `speaksThroughKeys` in SQL, for the principal of a row. */
export const speaksThroughKeysOf = (row: string): string =>
  `(exists (
      select from api_key k
      where k.tenant_id = ${row}.tenant_id
        and k.principal = ${row}.principal
    ) or exists (
      select from key_proposal p
      where p.tenant_id = ${row}.tenant_id
        and p.principal = ${row}.principal
        and p.status = 'Open'
    ))`;

/** Whether a principal has or had API keys, or would if an open proposal of one were approved. */
export async function speaksThroughKeys(sql: Sql, tenant: TenantId, principal: string): Promise<boolean> {
  const [row] = await sql<{ speaks: boolean }>(
    `select ${speaksThroughKeysOf("named")} as speaks
     from (values ($1::uuid, $2::text)) named (tenant_id, principal)`,
    [uuidOf(tenant), principal],
  );
  return row?.speaks === true;
}

/**
 * A principal in its stored spelling. `known`: it is a person's, or has or had an active key; otherwise it has open
 * proposals only.
 */
export interface Principal {
  readonly name: string;
  readonly known: boolean;
}

/** The tenant's principals, of keys and of people, each once, the known ones first. Reads one row for each. */
export function readPrincipals(sql: Sql, tenant: TenantId): Promise<Principal[]> {
  return sql<{ name: string; known: boolean }>(
    `with recursive with_key (name) as (
       (select principal from api_key where tenant_id = $1 order by principal limit 1)
       union all
       select (
         select k.principal
         from api_key k
         where k.tenant_id = $1
           and k.principal > w.name
         order by k.principal
         limit 1
       )
       from with_key w
       where w.name is not null
     ),
     with_proposal (name) as (
       (select principal from key_proposal where tenant_id = $1 and status = 'Open' order by principal limit 1)
       union all
       select (
         select p.principal
         from key_proposal p
         where p.tenant_id = $1
           and p.status = 'Open'
           and p.principal > w.name
         order by p.principal
         limit 1
       )
       from with_proposal w
       where w.name is not null
     )
     select name, bool_or(known) as known
     from (
       select name, true as known from with_key
       union all
       select principal, true from person where tenant_id = $1
       union all
       select name, false from with_proposal
     ) every
     where name is not null
     group by name
     order by known desc, name`,
    [uuidOf(tenant)],
  );
}

const maxBlockedMs = 5;

/**
 * The first of some names that counts as this one. A tenant may have thousands of them, and comparing a name for the
 * first time takes tens of microseconds: every few milliseconds other requests run.
 */
async function findSame(names: readonly string[], name: string): Promise<string | undefined> {
  let pauseAt = performance.now() + maxBlockedMs;
  for (const each of names) {
    if (isSamePrincipal(each, name)) return each;
    if (performance.now() < pauseAt) continue;
    await setImmediate();
    pauseAt = performance.now() + maxBlockedMs;
  }
  return undefined;
}

/** The tenant's principal of exactly this name; otherwise the first that counts as the same person. */
export async function findSimilarPrincipal(
  sql: Sql,
  tenant: TenantId,
  name: string,
): Promise<Principal | undefined> {
  const principals = await readPrincipals(sql, tenant);
  const exact = principals.find((principal) => principal.name === name);
  if (exact !== undefined) return exact;
  const similar = await findSame(
    principals.map((principal) => principal.name),
    name,
  );
  return principals.find((principal) => principal.name === similar);
}

/**
 * Whether an operator, or a second principal by an approval, has given this principal a key or a role. A key that only
 * reads, and the role Viewer in Test, come from one principal alone.
 */
export async function isVouchedFor(sql: Sql, tenant: TenantId, principal: string): Promise<boolean> {
  const [row] = await sql<{ vouched: boolean }>(
    `select exists (
       select
       from api_key
       where tenant_id = $1
         and principal = $2
         and (created_by = 'operator' or approved_by is not null)
     ) or exists (
       select
       from person p
       where p.tenant_id = $1
         and p.principal = $2
         and (
           p.created_by = 'operator'
           or exists (
             select
             from person_role r
             where r.person_id = p.id
               and (r.mode = 'Live' or r.role <> 'Viewer')
           )
         )
     ) as vouched`,
    [uuidOf(tenant), principal],
  );
  return row?.vouched === true;
}

/** Whether a person's name looks like another principal of the tenant, or another person's email. */
export async function looksLikeAnother(
  sql: Sql,
  tenant: TenantId,
  { name, principal: own }: { readonly name: string; readonly principal: string },
): Promise<boolean> {
  const [principals, people] = await Promise.all([
    readPrincipals(sql, tenant),
    sql<{ principal: string; email: string }>("select principal, email from person where tenant_id = $1", [
      uuidOf(tenant),
    ]),
  ]);
  const others = [
    ...principals.flatMap((other) => (other.name === own ? [] : [other.name])),
    ...people.flatMap(({ principal, email }) => (principal === own ? [] : [email])),
  ];
  return (await findSame(others, name)) !== undefined;
}

/** Whether this principal looks like the name or the email of one of the tenant's people. */
export async function looksLikePerson(sql: Sql, tenant: TenantId, principal: string): Promise<boolean> {
  const people = await sql<{ name: string; email: string }>(
    "select name, email from person where tenant_id = $1",
    [uuidOf(tenant)],
  );
  const texts = people.flatMap(({ name, email }) => [name, email]);
  return (await findSame(texts, principal)) !== undefined;
}
