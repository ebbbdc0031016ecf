import { z } from "zod";
import {
  statementFault,
  statementFaultCreate,
  statementFaultPage,
  statementFaultQuery,
} from "../http/sandbox/bank-statement-faults.ts";
import { bankAccount, bankSide } from "../http/ledger/reconciliations.ts";
import { bankingDate, timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { event, request } from "../message.ts";
import { amountCents, balanceCents } from "../money.ts";

/** A line as the bank prints it. */
export const statementLine = z.object({
  /** Its place on the statement, from 1. */
  line: z.int().min(1),
  account: bankAccount,
  side: bankSide,
  amountCents,
  /** The rail's or the bank's own. */
  reference: z.string().max(100),
  /** Ours (an order's id), where the payment carried it. */
  customerReference: z.string().max(100).nullable(),
  kind: z.enum(["Settlement", "Return", "Inbound", "Adjustment"]),
  occurredAt: timestamp,
});
export type StatementLine = z.infer<typeof statementLine>;

/** A book's statements are a chain: each names the one before, opens with its closing, and is never changed. */
export const statementHead = z.object({
  id: idSchema("stm"),
  /** Counts a book's statements from 1. */
  number: z.int().min(1),
  date: bankingDate,
  previousStatementId: idSchema("stm").nullable(),
  /** It holds what moved before, and was on no statement yet. */
  endsAt: timestamp,
  openingBalanceCents: balanceCents,
  closingBalanceCents: balanceCents,
  lineCount: z.int().min(0),
  /** SHA-256 over `canonicalStatement`, hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type StatementHead = z.infer<typeof statementHead>;

/** So many lines stay below the 256 KiB of an envelope. */
export const linesPerPart = 500;

/** A statement travels in parts, from 1; an empty one is one part. */
export const statementPart = z.object({
  statement: statementHead,
  part: z.int().min(1),
  parts: z.int().min(1),
  lines: z.array(statementLine).max(linesPerPart),
});
export type StatementPart = z.infer<typeof statementPart>;

/** One part of a statement; whoever listens acts when all parts are there. */
export const StatementIssued = event("rails", "statement-issued", statementPart);

/** The bank is asked for a statement up to now (Instant books). Answers with its first part. */
export const IssueStatement = request(
  "rails",
  "issue-statement",
  z.object({ date: bankingDate }),
  statementPart,
);

/** A part of a statement that was issued. Refused: not_found. */
export const ReadStatement = request(
  "rails",
  "read-statement",
  z.object({ statementId: idSchema("stm"), part: z.int().min(1) }),
  statementPart,
);

/** QA lets the bank make a mistake on its next statement (Test books only). */
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
/** The next statement puts it right. */
export const CorrectStatementFault = request(
  "rails",
  "correct-statement-fault",
  z.object({ id: z.string() }),
  statementFault,
);
