import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKeyProposal } from "../../../contracts/http/api-keys.ts";
import { isId, type ProposalId } from "../../../contracts/ids/ids.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import { refreshApprovalRight } from "./refresh-approval-right.ts";
import { callerNow } from "./caller-now.ts";
import { rejectScopesBeyond } from "./create-key.ts";
import { lockReplacedKey, endReplacedKey } from "./rotate-key.ts";
import {
  decideProposal,
  type LockedProposal,
  lockProposal,
  activateProposedKey,
} from "./store/key-proposals.ts";
import { lockTenantKeys } from "./store/principals.ts";
import { readProposal } from "./store/list-proposals.ts";

/** Refusals: `not_found` if the path holds no proposal id. */
export function parseProposalId(path: string): ProposalId {
  if (!isId("prop", path)) throw proposalNotFound();
  return path;
}

/**
 * Approves a proposed key: it works from now on, and the key that it replaces ends as the proposal says.
 * Refusals: `not_found`; `invalid_state_transition` when it is already decided, the key has ended since, or the
 * replaced key is no longer Active; `self_approval_not_allowed` for the proposer and for the key's own principal;
 * `insufficient_scope` for scopes that the approver lacks; `api_key_invalid` if that key is over.
 */
export async function approveKeyProposal(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  approver: KnownCaller,
  id: ProposalId,
): Promise<ApiKeyProposal> {
  const proposal = await lockOpenProposal(unit, approver, id);
  // A key or a role that was taken away a moment ago, and is still cached, approves nothing.
  checkKeyApproval(await callerNow(unit, approver, "keys:write"), proposal);
  if (proposal.replaces !== undefined) await lockReplacedKey(unit, approver, proposal.replaces);
  await decideProposal(unit.sql, approver, id, { status: "Approved", by: approver.principal });
  await activateProposedKey(unit.sql, approver, id);
  const { tenant, mode } = approver;
  const { principal, scopes, endedRight } = proposal;
  await refreshApprovalRight(unit, { tenant, mode, principal, scopes }, { continues: endedRight });
  if (proposal.replaces !== undefined) {
    await endReplacedKey(unit, proposal.replaces, proposal.keyId, approver.principal);
  }
  return readDecided(unit, approver, id);
}

/**
 * Refusals, if this principal can't approve the open proposal: `self_approval_not_allowed`, `insufficient_scope`,
 * `invalid_state_transition`. A key that it replaces is checked under its lock.
 */
export function checkKeyApproval(
  approver: Pick<KnownCaller, "principal" | "scopes">,
  proposal: Pick<LockedProposal, "proposedBy" | "principal" | "scopes" | "expiresAt">,
): void {
  const isProposer = isSamePrincipal(approver.principal, proposal.proposedBy);
  if (isProposer || isSamePrincipal(approver.principal, proposal.principal)) {
    throw new Refusal(
      "self_approval_not_allowed",
      isProposer
        ? "You proposed this key, so another principal must approve it."
        : "The key acts for you, so another principal must approve it.",
    );
  }
  rejectScopesBeyond(approver, proposal.scopes);
  rejectEnded(proposal);
}

/**
 * Denies a proposed key. Anyone with `keys:write` may, the proposer too: a denial gives nobody access.
 * Refusals: `not_found`; `invalid_state_transition` when it is already decided.
 */
export async function denyKeyProposal(
  unit: Pick<UnitOfWork, "sql">,
  caller: KnownCaller,
  id: ProposalId,
): Promise<ApiKeyProposal> {
  await lockOpenProposal(unit, caller, id);
  await decideProposal(unit.sql, caller, id, { status: "Denied", by: caller.principal });
  return readDecided(unit, caller, id);
}

/** Lock order everywhere: tenant, proposal, key. */
async function lockOpenProposal(
  { sql }: Pick<UnitOfWork, "sql">,
  caller: KnownCaller,
  id: ProposalId,
): Promise<LockedProposal> {
  const [, proposal] = await Promise.all([lockTenantKeys(sql, caller.tenant), lockProposal(sql, caller, id)]);
  if (proposal === undefined) throw proposalNotFound();
  if (proposal.status !== "Open") {
    throw new Refusal(
      "invalid_state_transition",
      `The proposal is already ${proposal.status}. Create the key again.`,
      {
        context: { currentStatus: proposal.status, allowedStatuses: ["Open"] },
      },
    );
  }
  return proposal;
}

/** An approval of a key that has ended would give nobody access, and would end the key that it replaces. */
function rejectEnded({ expiresAt }: Pick<LockedProposal, "expiresAt">): void {
  if (expiresAt === null || expiresAt > new Date()) return;
  throw new Refusal(
    "invalid_state_transition",
    `The proposed key ended at ${expiresAt.toISOString()}. Deny the proposal, and create the key again with a later expiresAt.`,
    { context: { currentStatus: "Expired", allowedStatuses: ["Open"] } },
  );
}

async function readDecided(
  { sql }: Pick<UnitOfWork, "sql">,
  caller: KnownCaller,
  id: ProposalId,
): Promise<ApiKeyProposal> {
  const proposal = await readProposal(sql, caller, id);
  if (proposal === undefined) throw new Error(`proposal ${id} was decided but can't be read`);
  return proposal;
}

function proposalNotFound(): Refusal {
  return new Refusal("not_found", "Check the id: there is no proposal of this id in this book.");
}
