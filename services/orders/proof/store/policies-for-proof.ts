import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { type ApprovalPolicy, policyOf } from "../../order/approval-policy.ts";

export interface PolicyForProof {
  readonly version: number;
  readonly policy: ApprovalPolicy;
  /** Younger than an hour: its message may still be on its way. */
  readonly isNew: boolean;
}

/** The policy in force of a book, and the one of `version`; undefined if there is none. */
export async function policiesForProof(
  sql: Sql,
  book: BookId,
  version: number,
): Promise<{ readonly inForce: PolicyForProof | undefined; readonly then: PolicyForProof | undefined }> {
  const rows = await sql<{ version: number; policy: Partial<ApprovalPolicy>; is_new: boolean }>(
    `select version, policy, put_at > now() - interval '1 hour' as is_new
     from approval_policy
     where book_id = $1
       and (version = $2 or version = (select max(x.version) from approval_policy x where x.book_id = $1))
     order by version desc`,
    [uuidOf(book), version],
  );
  const [inForce, ...others] = rows.map(
    (row): PolicyForProof => ({ version: row.version, policy: policyOf(row.policy), isNew: row.is_new }),
  );
  return { inForce, then: [inForce, ...others].find((one) => one?.version === version) };
}
