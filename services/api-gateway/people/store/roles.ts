import type { Person } from "../../../../contracts/http/people.ts";
import type { Role } from "../../../../contracts/http/roles.ts";
import {
  idOf,
  type Mode,
  type PersonId,
  type ProposalId,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** Takes roles away in a mode. */
export async function deleteRoles(
  sql: Sql,
  person: PersonId,
  mode: Mode,
  taken: readonly Role[],
): Promise<void> {
  await sql("delete from person_role where person_id = $1 and mode = $2 and role = any ($3::text[])", [
    uuidOf(person),
    mode,
    taken,
  ]);
}

export async function insertRoleProposal(
  sql: Sql,
  proposal: {
    readonly id: ProposalId;
    readonly tenant: TenantId;
    readonly mode: Mode;
    readonly person: PersonId;
    readonly principal: string;
    readonly roles: readonly Role[];
    readonly by: string;
  },
): Promise<void> {
  await sql(
    `insert into role_proposal (tenant_id, mode, id, person_id, principal, roles, proposed_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      uuidOf(proposal.tenant),
      proposal.mode,
      uuidOf(proposal.id),
      uuidOf(proposal.person),
      proposal.principal,
      proposal.roles,
      proposal.by,
    ],
  );
}

export async function setProposalDecided(
  sql: Sql,
  { tenant, mode, id }: { readonly tenant: TenantId; readonly mode: Mode; readonly id: ProposalId },
  decision: { readonly status: "Approved" | "Denied"; readonly by: string },
): Promise<void> {
  await sql(
    `update role_proposal
     set status = $4,
         decided_by = $5,
         decided_at = now()
     where tenant_id = $1
       and mode = $2
       and id = $3`,
    [uuidOf(tenant), mode, uuidOf(id), decision.status, decision.by],
  );
}

/** Denies the open proposals of roles for a person, or those that a principal made. */
export async function denyRoleProposals(
  sql: Sql,
  { tenant, mode }: { readonly tenant: TenantId; readonly mode: Mode },
  of: { readonly person: PersonId } | { readonly proposedBy: string },
  by: string,
): Promise<
  { readonly personId: PersonId; readonly proposalId: ProposalId; readonly roles: readonly Role[] }[]
> {
  const rows = await sql<{ id: string; person_id: string; roles: Role[] }>(
    `update role_proposal
     set status = 'Denied',
         decided_by = $5,
         decided_at = now()
     where tenant_id = $1
       and mode = $2
       and status = 'Open'
       and (person_id = $3 or proposed_by = $4)
     returning id, person_id, roles`,
    [
      uuidOf(tenant),
      mode,
      "person" in of ? uuidOf(of.person) : null,
      "proposedBy" in of ? of.proposedBy : null,
      by,
    ],
  );
  return rows.map(({ id, person_id: person, roles }) => ({
    personId: idOf("per", person),
    proposalId: idOf("prop", id),
    roles,
  }));
}

export async function setPerson(
  sql: Sql,
  id: PersonId,
  { name, status }: { readonly name: string; readonly status: "Active" | "Suspended" },
): Promise<void> {
  await sql("update person set name = $2, status = $3 where id = $1", [uuidOf(id), name, status]);
}

/**
 * Whether a change of the person is for an admin of Live: the person has roles there, waits for some, or was last
 * suspended there.
 */
export async function concernsLive(
  sql: Sql,
  tenant: TenantId,
  { id, roles }: Pick<Person, "id" | "roles">,
): Promise<boolean> {
  if (roles.Live.length > 0) return true;
  const [found] = await sql<{ concerns: boolean }>(
    `select exists (
         select from role_proposal
         where person_id = $2
           and mode = 'Live'
           and status = 'Open'
       ) or coalesce((
         select mode = 'Live'
         from audit
         where tenant_id = $1
           and object_id = $3
           and action = 'PersonSuspended'
         order by id desc
         limit 1
       ), false) as concerns`,
    [uuidOf(tenant), uuidOf(id), id],
  );
  return found?.concerns === true;
}
