import type {
  AuditEntry,
  AuditQuery,
  Person,
  RoleProposal,
  RoleProposalQuery,
  Session,
} from "../../../../contracts/http/people.ts";
import type { Role } from "../../../../contracts/http/roles.ts";
import {
  idOf,
  type Mode,
  type PersonId,
  type ProposalId,
  type SessionId,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import { speaksThroughKeysOf } from "../../keys/store/principals.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** Where a page begins, and how long it is; lists read one row more. */
export interface PageOf {
  readonly after: string | null;
  readonly limit: number;
}

interface PersonRow extends Omit<Person, "id" | "roles" | "proposedRoles" | "createdAt"> {
  readonly id: string;
  readonly test: Role[];
  readonly live: Role[];
  readonly proposedInTest: Role[];
  readonly proposedInLive: Role[];
  readonly created: Date;
}

const rolesIn = (mode: Mode) =>
  `array(select r.role from person_role r where r.person_id = p.id and r.mode = '${mode}' order by r.role)`;
const proposedIn = (mode: Mode) =>
  `array(
      select distinct unnest(o.roles) as role
      from role_proposal o
      where o.person_id = p.id
        and o.mode = '${mode}'
        and o.status = 'Open'
      order by role
    )`;
const selectPeople = `
  select p.id, p.principal, p.email, p.name, p.status, p.created_by as "createdBy", p.created_at as created, p.version,
    ${rolesIn("Test")} as test, ${rolesIn("Live")} as live,
    ${proposedIn("Test")} as "proposedInTest", ${proposedIn("Live")} as "proposedInLive"
  from person p
  where p.tenant_id = $1`;

const toPerson = ({
  id,
  test,
  live,
  proposedInTest,
  proposedInLive,
  created,
  ...row
}: PersonRow): Person => ({
  ...row,
  id: idOf("per", id),
  roles: { Test: test, Live: live },
  proposedRoles: { Test: proposedInTest, Live: proposedInLive },
  createdAt: created.toISOString(),
});

export async function readPerson(sql: Sql, tenant: TenantId, id: PersonId): Promise<Person | undefined> {
  const [row] = await sql<PersonRow>(`${selectPeople} and p.id = $2`, [uuidOf(tenant), uuidOf(id)]);
  return row && toPerson(row);
}

/** Newest first: `limit + 1` rows. */
export async function listPeople(sql: Sql, tenant: TenantId, { after, limit }: PageOf): Promise<Person[]> {
  const rows = await sql<PersonRow>(`${selectPeople} and p.id < $2 order by p.id desc limit $3`, [
    uuidOf(tenant),
    after ?? aboveAllUuids,
    limit + 1,
  ]);
  return rows.map(toPerson);
}

type ProposalRow = Omit<RoleProposal, "id" | "personId" | "proposedAt" | "decidedAt"> & {
  readonly id: string;
  readonly person: string;
  readonly proposed: Date;
  readonly decided: Date | null;
};

const ofPerson = (column: string) =>
  `(select p.${column} from person p where p.id = role_proposal.person_id)`;
const selectProposals = `
  select id, person_id as person, principal, ${ofPerson("name")} as "personName",
    ${ofPerson("email")} as "personEmail", ${ofPerson("created_by")} as "personCreatedBy",
    array(
      select r.role
      from person_role r
      where r.person_id = role_proposal.person_id
        and r.mode = role_proposal.mode
      order by r.role
    ) as "personRoles",
    mode, roles, ${speaksThroughKeysOf("role_proposal")} as "hasApiKeys", status, proposed_by as "proposedBy", proposed_at as proposed, decided_by as "decidedBy", decided_at as decided
  from role_proposal
  where tenant_id = $1
    and mode = $2`;

const toProposal = ({ id, person, proposed, decided, ...row }: ProposalRow): RoleProposal => ({
  ...row,
  id: idOf("prop", id),
  personId: idOf("per", person),
  proposedAt: proposed.toISOString(),
  decidedAt: decided?.toISOString() ?? null,
});

interface Book {
  readonly tenant: TenantId;
  readonly mode: Mode;
}

/** Locks a proposal, so that the second of two concurrent decisions finds it decided. */
export async function lockRoleProposal(
  sql: Sql,
  { tenant, mode }: Book,
  id: ProposalId,
): Promise<RoleProposal | undefined> {
  const [row] = await sql<ProposalRow>(`${selectProposals} and id = $3 for update`, [
    uuidOf(tenant),
    mode,
    uuidOf(id),
  ]);
  return row && toProposal(row);
}

const pageOfProposals = (filter: string) =>
  `${selectProposals} and id < $3 ${filter} order by id desc limit $4`;
const findProposals = pageOfProposals("");
const findProposalsOfStatuses = pageOfProposals("and status = any ($5::text[])");

/** The page after `after`, newest first: `limit + 1` rows. */
export async function listRoleProposals(
  sql: Sql,
  { tenant, mode }: Book,
  { limit, status }: RoleProposalQuery,
  after: string | null,
): Promise<RoleProposal[]> {
  const page = [uuidOf(tenant), mode, after ?? aboveAllUuids, limit + 1];
  const rows =
    status === undefined
      ? await sql<ProposalRow>(findProposals, page)
      : await sql<ProposalRow>(findProposalsOfStatuses, [...page, status]);
  return rows.map(toProposal);
}

/** The open proposals of the book, newest first. */
export async function listOpenRoleProposals(
  sql: Sql,
  { tenant, mode }: Book,
  limit: number,
): Promise<RoleProposal[]> {
  const rows = await sql<ProposalRow>(`${selectProposals} and status = 'Open' order by id desc limit $3`, [
    uuidOf(tenant),
    mode,
    limit,
  ]);
  return rows.map(toProposal);
}

/** How many proposals of the book are open, counted up to `most`. */
export async function countOpenRoleProposals(
  sql: Sql,
  { tenant, mode }: Book,
  most: number,
): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int as count
     from (${selectProposals} and status = 'Open' limit $3) open`,
    [uuidOf(tenant), mode, most],
  );
  return row?.count ?? 0;
}

/** A person's sessions that have not ended, newest first: `limit + 1` rows. */
export async function listSessions(
  sql: Sql,
  person: PersonId,
  current: SessionId,
  { after, limit }: PageOf,
): Promise<Session[]> {
  const rows = await sql<{
    id: string;
    address: string;
    user_agent: string | null;
    signed_in_at: Date;
    last_used_at: Date;
    ends_at: Date;
  }>(
    `select id, address, user_agent, signed_in_at, last_used_at, ends_at
     from session
     where person_id = $1
       and id < $2
       and ended_at is null
       and ends_at > now()
     order by id desc
     limit $3`,
    [uuidOf(person), after ?? aboveAllUuids, limit + 1],
  );
  return rows.map((row) => ({
    id: idOf("ses", row.id),
    address: row.address,
    userAgent: row.user_agent,
    isCurrent: idOf("ses", row.id) === current,
    signedInAt: row.signed_in_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
  }));
}

interface AuditRow extends Omit<AuditEntry, "id" | "at" | "objectId" | "requestId"> {
  readonly id: string;
  readonly at: Date;
  readonly object_id: string | null;
  readonly request_id: string | null;
}

/**
 * The log, newest first: `limit + 1` rows. The book's own entries and those that concern no mode, such as sign-ins, are
 * two runs of one index, merged. Rows are compared by the whole key of that index, so that no other one fits.
 */
export async function listAudit(
  sql: Sql,
  { tenant, mode }: Book,
  { after, limit, actor, objectId }: PageOf & Pick<AuditQuery, "actor" | "objectId">,
): Promise<AuditEntry[]> {
  const params: unknown[] = [uuidOf(tenant), mode, after ?? aboveAllUuids, limit + 1];
  const param = (value: string) => `$${String(params.push(value))}`;
  // An object has few entries, so a filter by both passes those of other actors.
  const range =
    objectId !== undefined
      ? [["object_id", param(objectId)]]
      : actor !== undefined
        ? [["actor", param(actor)]]
        : [];
  const filter = objectId !== undefined && actor !== undefined ? ` and actor = ${param(actor)}` : "";
  const columns = ["tenant_id", ...range.map(([column]) => column), "coalesce(mode, '')", "id"];
  const runOf = (ofMode: string) => {
    const start = ["$1::uuid", ...range.map(([, value]) => value), ofMode].join(", ");
    return `
      (select id, at, mode, actor, action, object_id, address, request_id, details
       from audit
       where (${columns.join(", ")}) >= (${start}, '${belowAllUuids}')
         and (${columns.join(", ")}) < (${start}, $3::uuid)${filter}
       order by ${columns.map((column) => `${String(column)} desc`).join(", ")}
       limit $4)`;
  };
  const rows = await sql<AuditRow>(
    `select *
     from (${runOf("$2")} union all ${runOf("''")}) log
     order by id desc
     limit $4`,
    params,
  );
  return rows.map(({ id, at, object_id: ofObject, request_id: requestId, ...row }) => ({
    ...row,
    id: idOf("aud", id),
    at: at.toISOString(),
    objectId: ofObject,
    requestId,
  }));
}
