import type { PolicyProposal } from "../../../../contracts/http/payments/approval-policies.ts";
import { type BookId, idOf, type ProposalId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { type ApprovalPolicy, policyOf } from "../../order/approval-policy.ts";

/** A looser policy that waits, or waited, for another principal. */
export interface Proposal {
  readonly id: ProposalId;
  readonly status: PolicyProposal["status"];
  readonly policy: ApprovalPolicy;
  readonly loosens: readonly string[];
  /** The version of the policy in force that it was compared with. */
  readonly againstVersion: number;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
}

interface ProposalRow {
  id: string;
  status: Proposal["status"];
  policy: ApprovalPolicy;
  loosens: string[];
  against_version: number;
  proposed_by: string;
  proposed_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
}

const columns =
  "id, status, policy, loosens, against_version, proposed_by, proposed_at, decided_by, decided_at";

function proposalOf(row: ProposalRow): Proposal {
  return {
    id: idOf("prop", row.id),
    status: row.status,
    policy: policyOf(row.policy),
    loosens: row.loosens,
    againstVersion: row.against_version,
    proposedBy: row.proposed_by,
    proposedAt: row.proposed_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
  };
}

export async function insertProposal(sql: Sql, book: BookId, proposal: Proposal): Promise<void> {
  await sql(
    `insert into policy_proposal (book_id, id, status, policy, loosens, against_version, proposed_by, proposed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      uuidOf(book),
      uuidOf(proposal.id),
      proposal.status,
      JSON.stringify(proposal.policy),
      proposal.loosens,
      proposal.againstVersion,
      proposal.proposedBy,
      proposal.proposedAt,
    ],
  );
}

/** A proposal of the book, or undefined. The policy's lock guards it. */
export async function readProposal(sql: Sql, book: BookId, id: ProposalId): Promise<Proposal | undefined> {
  const [row] = await sql<ProposalRow>(
    `select ${columns}
     from policy_proposal
     where book_id = $1
       and id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return row === undefined ? undefined : proposalOf(row);
}

/** Writes down what has become of it. */
export async function decideProposal(sql: Sql, book: BookId, decided: Proposal): Promise<void> {
  await sql(
    `update policy_proposal
     set status = $3,
         decided_by = $4,
         decided_at = $5
     where book_id = $1
       and id = $2`,
    [uuidOf(book), uuidOf(decided.id), decided.status, decided.decidedBy, decided.decidedAt],
  );
}

/** Closes what is open, in the name of who changed the policy that it was proposed against. */
export async function supersedeProposals(sql: Sql, book: BookId, principal: string, at: Date): Promise<void> {
  await sql(
    `update policy_proposal
     set status = 'Superseded',
         decided_by = $2,
         decided_at = $3
     where book_id = $1
       and status = 'Open'`,
    [uuidOf(book), principal, at],
  );
}

/** A page of the book's proposals, newest first, one row more than `limit` when there are more. */
export async function listProposals(
  sql: Sql,
  book: BookId,
  query: { limit: number; status?: Proposal["status"] | undefined },
  afterUuid: string | null,
): Promise<Proposal[]> {
  const params: unknown[] = [uuidOf(book), query.limit + 1];
  const where = ["book_id = $1"];
  if (query.status !== undefined) where.push(`status = $${String(params.push(query.status))}`);
  if (afterUuid !== null) where.push(`id < $${String(params.push(afterUuid))}`);
  const rows = await sql<ProposalRow>(
    `select ${columns}
     from policy_proposal
     where ${where.join("\n       and ")}
     order by id desc
     limit $2`,
    params,
  );
  return rows.map(proposalOf);
}
