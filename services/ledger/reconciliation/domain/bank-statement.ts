import { Refusal } from "../../../../contracts/errors.ts";
import type { BookId } from "../../../../contracts/ids/ids.ts";
import type {
  StatementHead,
  StatementLine,
  StatementPart,
} from "../../../../contracts/messages/bank-statements.ts";
import { statementHash } from "../../../../contracts/statement-hash.ts";

/** A statement as the bank says it, all of it, and true to its own hash. */
export interface Statement {
  readonly head: StatementHead;
  readonly lines: readonly StatementLine[];
}

/**
 * What the bank sent can't be what it printed. Nothing of it is written: a message is dead-lettered at once, for trying
 * again changes nothing; who asked for the statement is told so.
 */
export class StatementRefused extends Refusal {
  readonly permanent = true;

  constructor(why: string, head: StatementHead) {
    super(
      "bank_statement_refused",
      `Statement ${head.id} of ${head.date} ${why}. Nothing of it was written. Ask for a statement again; if it stays so, ask the bank.`,
      { context: { resourceId: head.id } },
    );
  }
}

/** The id is known, with other content: a statement is never changed. */
export function changedStatement(head: StatementHead): StatementRefused {
  return new StatementRefused("came before with other content", head);
}

/**
 * Joins the parts of one statement, in any order, and looks whether it can be true. Null while parts are missing.
 * Throws StatementRefused: parts of different statements under one id, lines that are not all there, a sum that is not
 * the closing balance, a hash that is not the content's.
 */
export function joinParts(book: BookId, parts: readonly StatementPart[]): Statement | null {
  const [first] = parts;
  if (first === undefined || parts.length < first.parts) return null;
  const { statement: head } = first;
  if (parts.some((part) => part.parts !== first.parts || part.statement.hash !== head.hash)) {
    throw new StatementRefused("came in parts that don't belong together", head);
  }
  const inOrder = parts.toSorted((a, b) => a.part - b.part);
  const lines = inOrder.flatMap((part) => part.lines);
  if (lines.length !== head.lineCount || lines.some(({ line }, place) => line !== place + 1)) {
    throw new StatementRefused(`says ${head.lineCount} lines and has others`, head);
  }
  if (statementHash(book, head, lines) !== head.hash) {
    throw new StatementRefused("has a hash that is not its content's", head);
  }
  if (head.openingBalanceCents + sumOf(lines) !== head.closingBalanceCents) {
    throw new StatementRefused("does not close with what its lines come to", head);
  }
  return { head, lines };
}

function sumOf(lines: readonly StatementLine[]): number {
  return lines.reduce((sum, { side, amountCents }) => sum + (side === "In" ? amountCents : -amountCents), 0);
}
