import type { AuditAction } from "../../../../contracts/http/audit-actions.ts";
import {
  type ApiKeyId,
  idOf,
  type Mode,
  newId,
  type PersonId,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** From where somebody acts. */
export interface AuditSource {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

/** An operator's command line has none of these. */
export const commandLineSource: AuditSource = { address: null, userAgent: null, requestId: null };

export interface AuditEntry {
  readonly tenant: TenantId;
  /** Null for what concerns no mode. */
  readonly mode: Mode | null;
  /** A principal, or `operator`. */
  readonly actor: string;
  readonly action: AuditAction;
  /** What it was done to. */
  readonly objectId: string | null;
  /** The person who acted in a session, or whose account was changed or tried. */
  readonly person: PersonId | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Adds to the log, which nobody can change. In the transaction of what it records. */
export function insertAuditEntry(sql: Sql, entry: AuditEntry, from: AuditSource): Promise<void> {
  return insertAuditEntries(sql, [entry], from);
}

/** The same for several entries, in one statement. */
export async function insertAuditEntries(
  sql: Sql,
  entries: readonly AuditEntry[],
  from: AuditSource,
): Promise<void> {
  if (entries.length === 0) return;
  await sql(
    `insert into audit
       (id, tenant_id, mode, actor, action, object_id, person_id, details, address, request_id)
     select n.*, $9, $10
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::jsonb[]) n`,
    [
      entries.map(() => uuidOf(newId("aud"))),
      entries.map(({ tenant }) => uuidOf(tenant)),
      entries.map(({ mode }) => mode),
      entries.map(({ actor }) => actor),
      entries.map(({ action }) => action),
      entries.map(({ objectId }) => objectId),
      entries.map(({ person }) => (person === null ? null : uuidOf(person))),
      entries.map(({ details }) => JSON.stringify(details ?? {})),
      from.address,
      from.requestId,
    ],
  );
}

/** Whether the log already has an entry without a mode for this action on this object. */
export async function isLogged(
  sql: Sql,
  { tenant, action, objectId }: Pick<AuditEntry, "tenant" | "action" | "objectId">,
): Promise<boolean> {
  const found = await sql(
    `select from audit
     where tenant_id = $1
       and object_id = $2
       and coalesce(mode, '') = ''
       and action = $3
     limit 1`,
    [uuidOf(tenant), objectId, action],
  );
  return found.length > 0;
}

/** Whether the log already says that the request with this Idempotency-Key was carried out. */
export async function isRequestLogged(
  sql: Sql,
  { tenant, mode, action, objectId }: AuditEntry,
  idempotencyKey: string,
): Promise<boolean> {
  // `is not distinct from` would not use the index by object.
  const ofObject = objectId === null ? "object_id is null and $2::text is null" : "object_id = $2";
  const found = await sql(
    `select from audit
     where tenant_id = $1
       and ${ofObject}
       and coalesce(mode, '') = coalesce($3, '')
       and action = $4
       and details ->> 'idempotencyKey' = $5
       and not details ? 'outcome'
     limit 1`,
    [uuidOf(tenant), objectId, mode, action, idempotencyKey],
  );
  return found.length > 0;
}

/** Those of some keys of a book that ended by the revocation of another one. One index probe for each. */
export async function filterRevokedWith(
  sql: Sql,
  { tenant, mode }: Pick<AuditEntry, "tenant" | "mode">,
  keys: readonly ApiKeyId[],
  revoked: ApiKeyId,
): Promise<ApiKeyId[]> {
  // Without the limit, the planner would read the whole log of the book instead.
  const found = await sql<{ id: ApiKeyId }>(
    `select k.id
     from unnest($3::text[]) k (id)
     cross join lateral (
       select from audit a
       where a.tenant_id = $1
         and a.object_id = k.id
         and coalesce(a.mode, '') = $2
         and a.details ->> 'revokedWith' = $4
       limit 1
     ) entry`,
    [uuidOf(tenant), mode, keys, revoked],
  );
  return found.map(({ id }) => id);
}

interface FailedSignIns {
  readonly person: PersonId;
  readonly address: string | null;
  readonly failures: number;
}

/** How often somebody failed to sign in as these people in the last hour, after the operator last helped them. */
export async function countFailedSignIns(sql: Sql, people: readonly PersonId[]): Promise<FailedSignIns[]> {
  const rows = await sql<{ person: string; address: string | null; failures: number }>(
    `with lately as (
       select person_id, action, at, address
       from audit
       where person_id = any ($1::uuid[])
         and action in ('SignInFailed', 'PasswordRecovered')
         and at > now() - interval '1 hour'
     )
     select l.person_id as person, l.address, count(*)::int as failures
     from lately l
     where l.action = 'SignInFailed'
       and l.at > coalesce((
         select max(r.at)
         from lately r
         where r.person_id = l.person_id
           and r.action = 'PasswordRecovered'
       ), '-infinity')
     group by l.person_id, l.address`,
    [people.map(uuidOf)],
  );
  return rows.map(({ person, ...counted }) => ({ ...counted, person: idOf("per", person) }));
}
