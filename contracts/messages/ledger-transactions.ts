import { z } from "zod";
import {
  ledgerTransaction,
  ledgerTransactionCreate,
  ledgerTransactionPage,
  ledgerTransactionPosting,
  ledgerTransactionQuery,
  ledgerTransactionReversal,
} from "../http/ledger/ledger-transactions.ts";
import { request } from "../message.ts";

const byId = z.object({ id: z.string() });

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
export const PostLedgerTransaction = request(
  "ledger",
  "post-transaction",
  ledgerTransactionPosting.extend({ id: z.string() }),
  ledgerTransaction,
);
export const VoidLedgerTransaction = request("ledger", "void-transaction", byId, ledgerTransaction);
export const ReverseLedgerTransaction = request(
  "ledger",
  "reverse-transaction",
  ledgerTransactionReversal.extend({ id: z.string() }),
  ledgerTransaction,
);
