import type { ApiKeyProposal, ApiKeyProposalQuery } from "../../../../contracts/http/api-keys.ts";
import { idOf, type ProposalId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { TenantMode } from "./api-keys.ts";
import { toApiKey, keyColumns, type KeyRow, isNotApprovedProposal } from "./list-keys.ts";

interface ProposalRow extends KeyRow {
  proposal_uuid: string;
  proposal_status: ApiKeyProposal["status"];
  reason: string;
  proposed_by: string;
  proposed_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
}

/** The chosen proposals with the current state of their keys, newest first. Each key is found by an index. */
const withKeys = (chosen: string) => `
  select p.id as proposal_uuid, p.status as proposal_status, p.reason, p.proposed_by, p.proposed_at, p.decided_by,
    p.decided_at, k.*
  from (${chosen}) p
  cross join lateral (
    select ${keyColumns}
    from shown_key s
    where s.tenant_id = p.tenant_id
      and s.mode = p.mode
      and s.id = p.key_id
      and ${isNotApprovedProposal}
  ) k
  order by p.id desc`;

const findOne = withKeys(
  `select *
   from key_proposal
   where tenant_id = $1
     and mode = $2
     and id = $3`,
);

const pageOf = (filter: string) =>
  withKeys(
    `select *
     from key_proposal
     where tenant_id = $1
       and mode = $2
       and id < $3
       ${filter}
     order by id desc
     limit $4`,
  );
const findPage = pageOf("");
const findPageOfStatuses = pageOf("and status = any ($5::text[])");

function toProposal(row: ProposalRow): ApiKeyProposal {
  return {
    id: idOf("prop", row.proposal_uuid),
    status: row.proposal_status,
    apiKey: toApiKey(row),
    reason: row.reason,
    proposedBy: row.proposed_by,
    proposedAt: row.proposed_at.toISOString(),
    decidedBy: row.decided_by,
    decidedAt: row.decided_at?.toISOString() ?? null,
  };
}

const findOpen = withKeys(
  `select *
   from key_proposal
   where tenant_id = $1
     and mode = $2
     and status = 'Open'
   order by id desc
   limit $3`,
);

/** The open proposals of the book, newest first. */
export async function listOpenProposals(
  sql: Sql,
  book: TenantMode,
  limit: number,
): Promise<ApiKeyProposal[]> {
  return (await sql<ProposalRow>(findOpen, [uuidOf(book.tenant), book.mode, limit])).map(toProposal);
}

/** How many proposals of the book are open, counted up to `most`. */
export async function countOpenProposals(sql: Sql, book: TenantMode, most: number): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int as count
     from (
       select
       from key_proposal
       where tenant_id = $1
         and mode = $2
         and status = 'Open'
       limit $3
     ) open`,
    [uuidOf(book.tenant), book.mode, most],
  );
  return row?.count ?? 0;
}

/** A proposal of the book, with its key. */
export async function readProposal(
  sql: Sql,
  book: TenantMode,
  id: ProposalId,
): Promise<ApiKeyProposal | undefined> {
  const [row] = await sql<ProposalRow>(findOne, [uuidOf(book.tenant), book.mode, uuidOf(id)]);
  return row && toProposal(row);
}

/** The page after `after`, newest first: `limit + 1` rows. */
export async function listProposals(
  sql: Sql,
  book: TenantMode,
  query: ApiKeyProposalQuery,
  after: string | null,
): Promise<ApiKeyProposal[]> {
  const page = [uuidOf(book.tenant), book.mode, after ?? aboveAllUuids, query.limit + 1];
  const rows =
    query.status === undefined
      ? await sql<ProposalRow>(findPage, page)
      : await sql<ProposalRow>(findPageOfStatuses, [...page, query.status]);
  return rows.map(toProposal);
}
