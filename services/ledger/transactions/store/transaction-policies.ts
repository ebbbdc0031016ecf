import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** What a book's approval policy requires of manual transactions. */
export interface TransactionPolicy {
  readonly version: number;
  readonly approvalRequired: boolean;
  /** Above this amount. */
  readonly thresholdCents: number;
}

/** The stored policy; undefined if orders has published none, which requires nothing. */
export async function readTransactionPolicy(sql: Sql, book: BookId): Promise<TransactionPolicy | undefined> {
  const [row] = await sql<Omit<TransactionPolicy, "thresholdCents"> & { thresholdCents: bigint }>(
    `select version, approval_required as "approvalRequired", threshold_cents as "thresholdCents"
     from transaction_policy
     where book_id = $1`,
    [uuidOf(book)],
  );
  return row && { ...row, thresholdCents: Number(row.thresholdCents) };
}

/** Stores a policy. An older version changes nothing. */
export async function upsertTransactionPolicy(
  sql: Sql,
  book: BookId,
  policy: TransactionPolicy,
): Promise<void> {
  await sql(
    `insert into transaction_policy as known (book_id, version, approval_required, threshold_cents)
     values ($1, $2, $3, $4)
     on conflict on constraint transaction_policy_pk do update
       set version = excluded.version,
           approval_required = excluded.approval_required,
           threshold_cents = excluded.threshold_cents
       where known.version < excluded.version`,
    [uuidOf(book), policy.version, policy.approvalRequired, policy.thresholdCents],
  );
}
