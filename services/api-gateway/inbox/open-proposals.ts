import { refusalCodeOf } from "../../../contracts/errors.ts";
import { type Inbox, maxInboxCount, maxInboxEntries } from "../../../contracts/http/inbox.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import { checkKeyApproval } from "../keys/decide-proposal.ts";
import { countOpenProposals, listOpenProposals } from "../keys/store/list-proposals.ts";
import { checkRoleApproval } from "../people/domain/role-authority.ts";
import { countOpenRoleProposals, listOpenRoleProposals } from "../people/store/list-people.ts";

/** The book's proposed API keys, and whether this caller could approve each now. */
export async function readKeyProposals(sql: Sql, caller: KnownCaller): Promise<Inbox["apiKeyProposals"]> {
  const [found, count] = await Promise.all([
    listOpenProposals(sql, caller, maxInboxEntries + 1),
    countOpenProposals(sql, caller, maxInboxCount),
  ]);
  return listOf(found, count, ({ proposedBy, apiKey: { principal, scopes, expiresAt } }) => {
    const endsAt = expiresAt === null ? null : new Date(expiresAt);
    checkKeyApproval(caller, { proposedBy, principal, scopes, expiresAt: endsAt });
  });
}

/** The book's proposed roles, and whether this caller could approve each now. */
export async function readRoleProposals(sql: Sql, caller: KnownCaller): Promise<Inbox["roleProposals"]> {
  const [found, count] = await Promise.all([
    listOpenRoleProposals(sql, caller, maxInboxEntries + 1),
    countOpenRoleProposals(sql, caller, maxInboxCount),
  ]);
  return listOf(found, count, (proposal) => checkRoleApproval(caller.principal, proposal));
}

/** `found` is one more than an inbox shows if there are more. `check` refuses what an approval would be refused. */
function listOf<Proposal extends object>(
  found: readonly Proposal[],
  count: number,
  check: (proposal: Proposal) => void,
) {
  const data = found.slice(0, maxInboxEntries).map((proposal) => {
    const code = refusalCodeOf(() => check(proposal));
    return { ...proposal, mine: { allowed: code === null, code } };
  });
  return { data, count, hasMore: found.length > data.length };
}
