import { Refusal } from "../../../contracts/errors.ts";
import { requireVersion } from "../../../contracts/if-match.ts";
import type { AuditAction } from "../../../contracts/http/audit-actions.ts";
import type { Person, PersonCreate, PersonPatch, RoleProposal } from "../../../contracts/http/people.ts";
import type { Role } from "../../../contracts/http/roles.ts";
import {
  type ApiKeyId,
  isId,
  type Mode,
  newId,
  type PersonId,
  type ProposalId,
  type TenantId,
} from "../../../contracts/ids/ids.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import { entryOf } from "../audit/entry-of.ts";
import { refreshApprovalRight } from "../keys/refresh-approval-right.ts";
import { callerNow } from "../keys/caller-now.ts";
import { lockPrincipal } from "../keys/create-key.ts";
import { isReservedName, parsePrincipal } from "../keys/domain/key-format.ts";
import { denyKeyProposalsOf } from "../keys/store/key-proposals.ts";
import { lockTenantKeys, looksLikeAnother, speaksThroughKeys } from "../keys/store/principals.ts";
import { checkRoleApproval, rolesForAnotherAdmin } from "./domain/role-authority.ts";
import { hashPassword, invitationEnd, mintPassword } from "./passwords.ts";
import { publishPersonChanged, endAllSessions } from "./person-changed.ts";
import { type AuditSource, insertAuditEntry } from "../audit/store/audit.ts";
import { lockRoleProposal, readPerson } from "./store/list-people.ts";
import { insertPerson, insertRoles } from "./store/people.ts";
import {
  concernsLive,
  deleteRoles,
  denyRoleProposals,
  insertRoleProposal,
  setPerson,
  setProposalDecided,
} from "./store/roles.ts";

/** Who changes people, and from where. */
export interface Admin {
  readonly caller: KnownCaller;
  readonly from: AuditSource;
}

const modes = ["Test", "Live"] as const;

export function personNotFound(): Refusal {
  return new Refusal("not_found", "Check the id: there is no person of this id.");
}

/**
 * Creates a person with roles in the caller's mode; those that need another admin are proposed. Refusals:
 * `invalid_field` for a principal or name that counts as another's; `name_taken` for an email or principal that another
 * person of the tenant has.
 */
export async function createPerson(
  unit: UnitOfWork,
  admin: Admin,
  body: PersonCreate,
): Promise<{ person: Person; password: string }> {
  const { tenant, principal: by } = admin.caller;
  const principal = parsePrincipal(body.principal);
  await lockPrincipal(unit.sql, tenant, principal);
  await callerNow(unit, admin.caller, "people:write");
  await rejectNameOfAnother(unit, tenant, { name: body.name, principal });
  const password = mintPassword();
  const id = newId("per");
  const isNew = await insertPerson(unit.sql, {
    id,
    tenant,
    principal,
    email: body.email,
    name: body.name,
    passwordHash: await hashPassword(password),
    passwordEndsAt: invitationEnd(),
    isDemo: false,
    createdBy: by,
  });
  if (!isNew) throw new Refusal("name_taken", "A person has this email or principal already.");
  await log(unit, admin, "PersonCreated", id, { principal });
  await giveRoles(unit, admin, { id, principal }, body.roles);
  return { person: await readBack(unit, admin, id), password };
}

/**
 * Changes a person. Roles are those of the caller's mode: what is taken away is gone at once, also in sessions; what
 * needs another admin is proposed. A suspension takes away every role and ends all sessions. Refusals: `not_found`;
 * `precondition_failed` if `versions` does not list the person's version;
 * `invalid_field` for a name that looks like another's; `self_approval_not_allowed` for a role for oneself;
 * `insufficient_scope` for what concerns Live too, from Test.
 */
export async function changePerson(
  unit: UnitOfWork,
  admin: Admin,
  id: PersonId,
  patch: PersonPatch,
  versions?: readonly number[],
): Promise<Person> {
  const { caller } = admin;
  await lockTenantKeys(unit.sql, caller.tenant);
  await callerNow(unit, caller, "people:write");
  const person = await readPerson(unit.sql, caller.tenant, id);
  if (person === undefined) throw personNotFound();
  requireVersion("person", person, versions);
  const { name = person.name, status = person.status } = patch;
  if (status === "Suspended" && (patch.roles ?? []).length > 0) {
    throw new Refusal(
      "invalid_state_transition",
      "The person is Suspended. Send status: Active with the roles.",
      { context: { currentStatus: "Suspended", allowedStatuses: ["Active"] } },
    );
  }
  const isPersonal = name !== person.name || status !== person.status;
  if (isPersonal && caller.mode === "Test" && (await concernsLive(unit.sql, caller.tenant, person))) {
    throw new Refusal(
      "insufficient_scope",
      "This person has roles in Live, may get some, or was suspended there: change them as an admin of Live.",
      { context: { requiredScope: "people:write" } },
    );
  }
  if (name !== person.name)
    await rejectNameOfAnother(unit, caller.tenant, { name, principal: person.principal });
  if (isPersonal) {
    await setPerson(unit.sql, id, { name, status });
    await log(unit, admin, status === person.status ? "PersonRenamed" : `Person${status}`, id, { name });
  }
  const held = person.roles[caller.mode];
  if (status === "Suspended") {
    for (const mode of modes) {
      await denyWaiting(unit, admin, person.id, mode);
      await takeRoles(unit, admin, person, mode, person.roles[mode]);
    }
    await denyProposalsOf(unit, admin, person);
    await endAllSessions(unit, { id, tenant: caller.tenant }, "PersonSuspended");
  } else if (patch.roles !== undefined) {
    const wanted = patch.roles;
    // The list is complete, so what waits is denied; roles in the list that need approval are proposed anew.
    await denyWaiting(unit, admin, person.id, caller.mode);
    const taken = held.filter((role) => !wanted.includes(role));
    const given = wanted.filter((role) => !held.includes(role));
    if (taken.length > 0) await takeRoles(unit, admin, person, caller.mode, taken);
    await giveRoles(unit, admin, person, given);
  }
  return readBack(unit, admin, id);
}

/** An approver reads the name. Refusals: `invalid_field` for one that looks like somebody else, or like the service. */
async function rejectNameOfAnother(
  { sql }: UnitOfWork,
  tenant: TenantId,
  person: { readonly name: string; readonly principal: string },
): Promise<void> {
  const isReserved = isReservedName(person.name);
  if (!isReserved && !(await looksLikeAnother(sql, tenant, person))) return;
  const why = isReserved ? "is reserved for the service" : "looks like another principal or email";
  const message = `${person.name} ${why}. Choose another name.`;
  throw new Refusal("invalid_field", message, {
    errors: [{ pointer: "/name", code: "invalid_field", message }],
  });
}

/** Gives the roles that one admin may give, and proposes the others. */
async function giveRoles(
  unit: UnitOfWork,
  admin: Admin,
  person: Pick<Person, "id" | "principal">,
  given: readonly Role[],
): Promise<void> {
  const { tenant, mode, principal: by } = admin.caller;
  if (given.length === 0) return;
  if (isSamePrincipal(by, person.principal)) {
    throw new Refusal("self_approval_not_allowed", "Nobody gives a role to themselves: ask another admin.");
  }
  const speaks = await speaksThroughKeys(unit.sql, tenant, person.principal);
  const proposed = rolesForAnotherAdmin({ mode, roles: given, speaksThroughKeys: speaks });
  const atOnce = given.filter((role) => !proposed.includes(role));
  if (atOnce.length > 0) {
    await insertRoles(unit.sql, person.id, mode, atOnce, by);
    await log(unit, admin, "RolesGiven", person.id, { roles: atOnce });
    publishPersonChanged(unit, { id: person.id, tenant });
  }
  if (proposed.length > 0) {
    const proposal = { id: newId("prop"), tenant, mode, person: person.id, roles: proposed, by };
    await insertRoleProposal(unit.sql, { ...proposal, principal: person.principal });
    await log(unit, admin, "RolesProposed", person.id, { roles: proposed, proposalId: proposal.id });
  }
}

async function takeRoles(
  unit: UnitOfWork,
  admin: Admin,
  person: Pick<Person, "id" | "principal">,
  mode: Mode,
  taken: readonly Role[],
): Promise<void> {
  const { tenant } = admin.caller;
  if (taken.length === 0) return;
  await deleteRoles(unit.sql, person.id, mode, taken);
  await log(unit, admin, "RolesTaken", person.id, { roles: taken, mode });
  if (taken.includes("Approver")) {
    const right = { tenant, mode, principal: person.principal, scopes: ["orders:approve"] as const };
    await refreshApprovalRight(unit, right);
  }
  publishPersonChanged(unit, { id: person.id, tenant });
}

/**
 * Denies what a suspended person proposed, and the API keys that would act for them. An admin of Test alone denies
 * nothing of Live.
 */
async function denyProposalsOf(
  unit: UnitOfWork,
  admin: Admin,
  { id: person, principal }: Pick<Person, "id" | "principal">,
): Promise<void> {
  const { tenant, mode: modeOfAdmin, principal: by } = admin.caller;
  for (const mode of modeOfAdmin === "Live" ? modes : (["Test"] as const)) {
    const keys = await denyKeyProposalsOf(unit.sql, { tenant, mode }, principal, by);
    const roles = await denyRoleProposals(unit.sql, { tenant, mode }, { proposedBy: principal }, by);
    for (const { proposalId, keyId } of keys) {
      await log(unit, admin, "ApiKeyDenied", proposalId, { keyId, suspended: person, mode });
      await log(unit, admin, "ApiKeyDenied", keyId, { proposalId, suspended: person, mode });
    }
    for (const { personId, ...proposal } of roles)
      await log(unit, admin, "RolesDenied", personId, { ...proposal, suspended: person, mode });
  }
}

/** Denies the roles that a person waits for in a mode: a newer list takes their place, or all are taken away. */
async function denyWaiting(unit: UnitOfWork, admin: Admin, id: PersonId, mode: Mode): Promise<void> {
  const { tenant, principal: by } = admin.caller;
  const denied = await denyRoleProposals(unit.sql, { tenant, mode }, { person: id }, by);
  for (const { personId, ...proposal } of denied)
    await log(unit, admin, "RolesDenied", personId, { ...proposal, mode });
}

/**
 * Approves or denies proposed roles. Refusals: `not_found`; `invalid_state_transition` when it is decided, or the
 * person is suspended; `self_approval_not_allowed` for the proposer and for the person who gets the roles.
 */
export async function decideRoles(
  unit: UnitOfWork,
  admin: Admin,
  id: ProposalId,
  status: "Approved" | "Denied",
): Promise<RoleProposal> {
  const { caller } = admin;
  const { tenant, mode, principal: by } = caller;
  await lockTenantKeys(unit.sql, tenant);
  await callerNow(unit, caller, "people:write");
  const proposal = await lockRoleProposal(unit.sql, caller, id);
  if (proposal === undefined)
    throw new Refusal("not_found", "Check the id: there is no proposal of this id in this book.");
  if (proposal.status !== "Open") {
    throw new Refusal(
      "invalid_state_transition",
      `The proposal is already ${proposal.status}. Give the roles again.`,
      { context: { currentStatus: proposal.status, allowedStatuses: ["Open"] } },
    );
  }
  if (status === "Approved") {
    checkRoleApproval(by, proposal);
    await insertRoles(unit.sql, proposal.personId, mode, proposal.roles, by);
    if (proposal.roles.includes("Approver")) {
      const right = { tenant, mode, principal: proposal.principal, scopes: ["orders:approve"] as const };
      await refreshApprovalRight(unit, right);
    }
    publishPersonChanged(unit, { id: proposal.personId, tenant });
  }
  await setProposalDecided(unit.sql, { tenant, mode, id }, { status, by });
  await log(unit, admin, `Roles${status}`, proposal.personId, { roles: proposal.roles, proposalId: id });
  return (await lockRoleProposal(unit.sql, caller, id)) ?? proposal;
}

async function readBack({ sql }: UnitOfWork, { caller }: Admin, id: PersonId): Promise<Person> {
  const person = await readPerson(sql, caller.tenant, id);
  if (person === undefined) throw new Error(`person ${id} was written but can't be read`);
  return person;
}

function log(
  { sql }: UnitOfWork,
  { caller, from }: Admin,
  action: AuditAction,
  objectId: PersonId | ApiKeyId | ProposalId,
  details: object,
) {
  const person = isId("per", objectId) ? objectId : null;
  return insertAuditEntry(sql, { ...entryOf(caller, action, objectId, { ...details }), person }, from);
}
