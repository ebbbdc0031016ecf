import { Refusal } from "../../../../contracts/errors.ts";
import type { BookId } from "../../../../contracts/ids/ids.ts";
import type {
  StatementHeader,
  StatementLine,
  StatementPart,
} from "../../../../contracts/messages/bank-statements.ts";
import { statementHash } from "../../../../contracts/statement-hash.ts";

/** A complete statement whose content matches its hash. */
export interface Statement {
  readonly header: StatementHeader;
  readonly lines: readonly StatementLine[];
}

/**
 * The bank sent a statement that contradicts itself or an earlier one. The message or request that brought it stores
 * nothing. A message is dead-lettered at once, because a retry changes nothing; a caller gets the refusal.
 */
export class StatementRefused extends Refusal {
  readonly permanent = true;

  constructor(why: string, header: StatementHeader) {
    super(
      "bank_statement_refused",
      `Statement ${header.id} of ${header.date} ${why}. Nothing was stored. Request a statement again; if the error persists, contact the bank.`,
      { context: { resourceId: header.id } },
    );
  }
}

/** The id is known with other content. A statement never changes. */
export function changedStatement(header: StatementHeader): StatementRefused {
  return new StatementRefused("was received before with different content", header);
}

/**
 * Joins the parts of one statement, in any order. Null while parts are missing. Throws StatementRefused if parts belong
 * to different statements, lines are missing, the sum is not the closing balance, or the hash is not the content's.
 */
export function joinParts(book: BookId, parts: readonly StatementPart[]): Statement | null {
  const [first] = parts;
  if (first === undefined || parts.length < first.parts) return null;
  const { statement: header } = first;
  if (parts.some((part) => part.parts !== first.parts || part.statement.hash !== header.hash)) {
    throw new StatementRefused("has parts that do not belong together", header);
  }
  const inOrder = parts.toSorted((a, b) => a.part - b.part);
  const lines = inOrder.flatMap((part) => part.lines);
  if (lines.length !== header.lineCount || lines.some(({ line }, index) => line !== index + 1)) {
    throw new StatementRefused(
      `announces ${header.lineCount} lines, but its lines are not 1 to ${header.lineCount}`,
      header,
    );
  }
  if (statementHash(book, header, lines) !== header.hash) {
    throw new StatementRefused("has a hash that does not match its content", header);
  }
  if (header.openingBalanceCents + sumOf(lines) !== header.closingBalanceCents) {
    throw new StatementRefused("has a closing balance that its lines do not add up to", header);
  }
  return { header, lines };
}

function sumOf(lines: readonly StatementLine[]): number {
  return lines.reduce((sum, { side, amountCents }) => sum + (side === "In" ? amountCents : -amountCents), 0);
}
