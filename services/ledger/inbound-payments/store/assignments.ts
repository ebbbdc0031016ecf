import {
  type BookId,
  type InboundPaymentId,
  type LedgerAccountId,
  type LedgerTransactionId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

export interface Proposal {
  readonly ledgerAccountId: LedgerAccountId;
  readonly principal: string;
  readonly at: string;
}

/** Stores or replaces the proposal of a Suspended payment; its book's head must be locked. */
export async function updateProposal(
  sql: Sql,
  book: BookId,
  id: InboundPaymentId,
  { ledgerAccountId, principal, at }: Proposal,
): Promise<void> {
  await sql(
    `update inbound_payment
     set proposed_account_id = $3,
         proposed_by = $4,
         proposed_at = $5
     where book_id = $1
       and inbound_payment_id = $2`,
    [uuidOf(book), uuidOf(id), uuidOf(ledgerAccountId), principal, at],
  );
}

/** Records the assignment of a payment, after its journal. A proposal stays only if this is its approval. */
export async function updateAssignment(
  sql: Sql,
  book: BookId,
  id: InboundPaymentId,
  by: Proposal & {
    readonly transactionId: LedgerTransactionId;
    readonly sequence: number;
    readonly isApproval: boolean;
  },
): Promise<void> {
  await sql(
    `update inbound_payment
     set status = 'Assigned',
         ledger_account_id = $3,
         assigned_seq = $4,
         assigned_transaction_id = $5,
         assigned_by = $6,
         assigned_at = $7,
         proposed_account_id = case when $8 then proposed_account_id end,
         proposed_by = case when $8 then proposed_by end,
         proposed_at = case when $8 then proposed_at end
     where book_id = $1
       and inbound_payment_id = $2`,
    [
      uuidOf(book),
      uuidOf(id),
      uuidOf(by.ledgerAccountId),
      by.sequence,
      uuidOf(by.transactionId),
      by.principal,
      by.at,
      by.isApproval,
    ],
  );
}
