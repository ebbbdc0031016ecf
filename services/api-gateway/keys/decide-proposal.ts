import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKeyProposal } from "../../../contracts/http/api-keys.ts";
import { isId, type ProposalId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { type Giver, refuseBeyond } from "./create-operator-key.ts";
import { lockKeyInForce, retireKey } from "./rotate-key.ts";
import { decideProposal, type LockedProposal, lockProposal, openProposedKey } from "./store/key-proposals.ts";
import { lockTenantKeys } from "./store/principals.ts";
import { findProposal } from "./store/list-proposals.ts";

/** The id in a path, if it is one of a proposal. Refusal: `not_found`. */
export function proposalIdIn(path: string): ProposalId {
  if (!isId("prop", path)) throw noSuchProposal();
  return path;
}

/**
 * Lets a proposed key through: it works from now on, and the key whose place it takes ends as was asked.
 * Refusals: `not_found`; `invalid_state_transition` when it is decided, or the key to be replaced is not in force any
 * more; `self_approval_not_allowed` for who proposed it and for whom it would speak for; `insufficient_scope` for
 * scopes that the approver's own key lacks.
 */
export async function approveKeyProposal(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  approver: Giver,
  id: ProposalId,
): Promise<ApiKeyProposal> {
  const proposal = await lockOpenProposal(unit, approver, id);
  if (approver.principal === proposal.proposedBy || approver.principal === proposal.principal) {
    throw new Refusal(
      "self_approval_not_allowed",
      approver.principal === proposal.proposedBy
        ? "Let another principal approve: you proposed this key."
        : "Let another principal approve: the key would speak for you.",
    );
  }
  refuseBeyond(approver, proposal.scopes);
  if (proposal.replaces !== undefined) await lockKeyInForce(unit, approver, proposal.replaces.id);
  await decideProposal(unit.sql, approver, id, { status: "Approved", by: approver.principal });
  await openProposedKey(unit.sql, approver, id);
  if (proposal.replaces !== undefined) {
    await retireKey(unit, proposal.replaces, proposal.keyId, approver.principal);
  }
  return decided(unit, approver, id);
}

/**
 * Turns a proposed key down for good. Everybody who gives keys may, its proposer too: a denial opens nothing.
 * Refusals: `not_found`; `invalid_state_transition` when it is decided.
 */
export async function denyKeyProposal(
  unit: Pick<UnitOfWork, "sql">,
  caller: Giver,
  id: ProposalId,
): Promise<ApiKeyProposal> {
  await lockOpenProposal(unit, caller, id);
  await decideProposal(unit.sql, caller, id, { status: "Denied", by: caller.principal });
  return decided(unit, caller, id);
}

/** The tenant is locked before the proposal, and that before a key: everybody takes them in this order. */
async function lockOpenProposal(
  { sql }: Pick<UnitOfWork, "sql">,
  caller: Giver,
  id: ProposalId,
): Promise<LockedProposal> {
  const [, proposal] = await Promise.all([lockTenantKeys(sql, caller.tenant), lockProposal(sql, caller, id)]);
  if (proposal === undefined) throw noSuchProposal();
  if (proposal.status !== "Open") {
    throw new Refusal("invalid_state_transition", `The proposal is ${proposal.status}: propose a key anew.`, {
      context: { currentStatus: proposal.status, allowedStatuses: ["Open"] },
    });
  }
  return proposal;
}

async function decided(
  { sql }: Pick<UnitOfWork, "sql">,
  caller: Giver,
  id: ProposalId,
): Promise<ApiKeyProposal> {
  const proposal = await findProposal(sql, caller, id);
  if (proposal === undefined) throw new Error(`proposal ${id} was decided and is not there`);
  return proposal;
}

function noSuchProposal(): Refusal {
  return new Refusal("not_found", "Check the id: there is no proposal of this id in this book.");
}
