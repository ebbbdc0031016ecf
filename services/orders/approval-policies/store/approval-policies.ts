import { type BookId, type ProposalId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { type ApprovalPolicy, policyOf } from "../../order/approval-policy.ts";

/** The policy in force. Version 0 is the default policy, which has no row. */
export interface PolicyInForce {
  readonly policy: ApprovalPolicy;
  readonly version: number;
}

/** Lets one transaction at a time change a book's policy or its proposals. */
export async function lockPolicy(sql: Sql, book: BookId): Promise<void> {
  await sql("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`approval-policy/${uuidOf(book)}`]);
}

export async function readPolicy(sql: Sql, book: BookId): Promise<PolicyInForce> {
  const [row] = await sql<{ policy: ApprovalPolicy; version: number }>(
    `select policy, version
     from approval_policy
     where book_id = $1
     order by version desc
     limit 1`,
    [uuidOf(book)],
  );
  return { policy: policyOf(row?.policy ?? null), version: row?.version ?? 0 };
}

export async function insertPolicy(
  sql: Sql,
  put: PolicyInForce & { book: BookId; principal: string; proposal: ProposalId | null; at: Date },
): Promise<void> {
  await sql(
    `insert into approval_policy (book_id, version, policy, put_by, proposal_id, put_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      uuidOf(put.book),
      put.version,
      JSON.stringify(put.policy),
      put.principal,
      put.proposal === null ? null : uuidOf(put.proposal),
      put.at,
    ],
  );
}
