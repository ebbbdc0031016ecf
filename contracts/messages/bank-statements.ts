import { z } from "zod";
import {
  statementFault,
  statementFaultCreate,
  statementFaultPage,
  statementFaultQuery,
} from "../http/sandbox/bank-statement-faults.ts";
import { bankAccount, bankSide } from "../http/ledger/reconciliations.ts";
import { bankingDate, timestamp, sha256 } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { event, request } from "../message.ts";
import { amountCents, balanceCents } from "../money.ts";

/** One line of a bank statement. */
export const statementLine = z.object({
  /** The line's number on the statement, from 1. */
  line: z.int().min(1),
  account: bankAccount,
  side: bankSide,
  amountCents,
  /** The reference of the rail or the bank. */
  reference: z.string().max(100),
  /** Our reference (an order's id), if the payment carried it. */
  customerReference: z.string().max(100).nullable(),
  kind: z.enum(["Settlement", "Return", "Inbound", "Adjustment"]),
  occurredAt: timestamp,
});
export type StatementLine = z.infer<typeof statementLine>;

/**
 * A book's statements form a chain: each names its predecessor and opens with the predecessor's closing balance. A
 * statement never changes.
 */
export const statementHeader = z.object({
  id: idSchema("stm"),
  /** Counts a book's statements from 1. */
  number: z.int().min(1),
  date: bankingDate,
  previousStatementId: idSchema("stm").nullable(),
  /** The statement holds every movement before this time that no earlier statement has. */
  endsAt: timestamp,
  openingBalanceCents: balanceCents,
  closingBalanceCents: balanceCents,
  lineCount: z.int().min(0),
  /** Over `canonicalStatement`. */
  hash: sha256,
});
export type StatementHeader = z.infer<typeof statementHeader>;

/** This many lines fit into an envelope of 256 KiB. */
export const maxLinesPerPart = 500;

/** One part of a statement, counted from 1. An empty statement has one part. */
export const statementPart = z.object({
  statement: statementHeader,
  part: z.int().min(1),
  parts: z.int().min(1),
  lines: z.array(statementLine).max(maxLinesPerPart),
});
export type StatementPart = z.infer<typeof statementPart>;

/** The bank issued one part of a statement. The consumer acts when it has all parts. */
export const StatementIssued = event("rails", "statement-issued", statementPart);

/** Asks the bank for a statement up to now (Test books only). The reply is its first part. */
export const IssueStatement = request(
  "rails",
  "issue-statement",
  z.object({ date: bankingDate }),
  statementPart,
);

/** Reads one part of an issued statement. Refusals: `not_found`. */
export const ReadStatement = request(
  "rails",
  "read-statement",
  z.object({ statementId: idSchema("stm"), part: z.int().min(1) }),
  statementPart,
);

/** At most this many statements come in one reply of `ReadStatementsAfter`. */
export const maxStatementsPerReply = 21;

/**
 * Reads the first parts of the statements after statement `number` (0: from the first on), oldest first. A reply has at
 * most `maxStatementsPerReply` of them, and at most `maxLinesPerPart` lines in all, but always the oldest. It is empty
 * if there is none.
 */
export const ReadStatementsAfter = request(
  "rails",
  "read-statements-after",
  z.object({ number: z.int().min(0) }),
  z.object({ firstParts: z.array(statementPart).max(maxStatementsPerReply) }),
);

/** A tester puts an error on the bank's next statement (Test books only). */
export const CreateStatementFault = request(
  "rails",
  "create-statement-fault",
  statementFaultCreate,
  statementFault,
);
export const ListStatementFaults = request(
  "rails",
  "list-statement-faults",
  statementFaultQuery,
  statementFaultPage,
);
export const GetStatementFault = request(
  "rails",
  "get-statement-fault",
  z.object({ id: z.string() }),
  statementFault,
);
/** The next statement corrects the error. */
export const CorrectStatementFault = request(
  "rails",
  "correct-statement-fault",
  z.object({ id: z.string() }),
  statementFault,
);
