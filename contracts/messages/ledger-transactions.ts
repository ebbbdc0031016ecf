import { z } from "zod";
import {
  ledgerTransaction,
  ledgerTransactionCreate,
  ledgerTransactionPage,
  ledgerTransactionPosting,
  ledgerTransactionQuery,
  ledgerTransactionReversal,
} from "../http/ledger/ledger-transactions.ts";
import { inboxLedgerProposals } from "../http/inbox.ts";
import { request } from "../message.ts";

const byId = z.object({ id: z.string() });
/** What a book's approval policy requires of manual transactions. */
export const transactionPolicy = z.object({
  /** The version of the policy: an older one changes nothing. */
  version: z.int().min(1),
  approvalRequired: z.boolean(),
  thresholdCents: z.int(),
});
/** Orders sends a policy that is in force to the ledger before it answers the request that changed it. */
export const ApplyTransactionPolicy = request(
  "ledger",
  "apply-transaction-policy",
  transactionPolicy,
  z.object({ version: z.int() }),
);

export const CreateLedgerTransaction = request(
  "ledger",
  "create-transaction",
  ledgerTransactionCreate,
  ledgerTransaction,
);
export const GetLedgerTransaction = request("ledger", "get-transaction", byId, ledgerTransaction);
export const ListLedgerTransactions = request(
  "ledger",
  "list-transactions",
  ledgerTransactionQuery,
  ledgerTransactionPage,
);
/** The scopes of the caller. Without `ledger:write`, a caller decides only on what another principal has proposed. */
export const rightsOfCaller = {
  /** Whether the caller has `orders:approve`. */
  mayApprove: z.boolean().optional(),
  /** Whether the caller has `ledger:write`. Missing means true: the previous release let nobody else in. */
  mayWrite: z.boolean().optional(),
};
export const PostLedgerTransaction = request(
  "ledger",
  "post-transaction",
  ledgerTransactionPosting.extend({
    id: z.string(),
    ...rightsOfCaller,
  }),
  ledgerTransaction,
);
export const VoidLedgerTransaction = request(
  "ledger",
  "void-transaction",
  byId.extend(rightsOfCaller),
  ledgerTransaction,
);
/** What waits for an approver in the book, and whether this caller could approve it now. */
export const ReadLedgerInbox = request(
  "ledger",
  "read-inbox",
  z.object({ mayApprove: z.boolean(), mayWrite: z.boolean() }),
  inboxLedgerProposals,
);
export const ReverseLedgerTransaction = request(
  "ledger",
  "reverse-transaction",
  ledgerTransactionReversal.extend({ id: z.string() }),
  ledgerTransaction,
);
