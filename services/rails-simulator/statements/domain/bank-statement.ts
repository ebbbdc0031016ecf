import type { BankAccount, BankSide } from "../../../../contracts/http/ledger/reconciliations.ts";
import type { StatementFault } from "../../../../contracts/http/sandbox/bank-statement-faults.ts";
import type { BankStatementFaultId } from "../../../../contracts/ids/ids.ts";
import type { StatementLine } from "../../../../contracts/messages/bank-statements.ts";

/** A line before it has its number on the statement. */
export type PrintedLine = Omit<StatementLine, "line">;

export interface UnreportedMovement {
  /** The key of the movement in the bank's records. */
  readonly source: string;
  readonly line: PrintedLine;
}

/** A statement error that the bank still has to make or to correct. */
export interface OpenStatementError {
  readonly id: BankStatementFaultId;
  readonly kind: StatementFault["kind"];
  readonly orderId: string | null;
  readonly reference: string | null;
  readonly amountCents: number | null;
  readonly side: BankSide | null;
  readonly printedOn: number | null;
  readonly correctionRequested: boolean;
  readonly source: string | null;
  readonly withheld: PrintedLine | null;
  readonly printed: PrintedLine | null;
}

/** What this statement does with an error. */
export type StatementErrorChange =
  | {
      readonly id: BankStatementFaultId;
      readonly to: "Printed";
      readonly source: string | null;
      readonly withheld: PrintedLine | null;
      readonly printed: PrintedLine | null;
    }
  | { readonly id: BankStatementFaultId; readonly to: "Corrected" };

export interface ComposedLine {
  readonly line: PrintedLine;
  readonly source: string | null;
}
export interface ComposedStatement {
  readonly lines: readonly ComposedLine[];
  readonly closingCents: number;
  readonly errorChanges: readonly StatementErrorChange[];
  /** The statement is published with a wrong hash. */
  readonly publishWrongHash: boolean;
}

/**
 * Composes a statement: the movements in order of time, changed by the errors to make, and the corrections of earlier
 * errors. The closing balance follows the printed lines.
 * @param movements those that are on no statement yet and that no error withholds.
 */
export function composeStatement(
  openingCents: number,
  movements: readonly UnreportedMovement[],
  errors: readonly OpenStatementError[],
  endsAt: Date,
): ComposedStatement {
  const lines: ComposedLine[] = movements.map(({ line, source }) => ({ line, source }));
  const errorChanges: StatementErrorChange[] = [];
  const changedSources = new Set<string>();
  let publishWrongHash = false;
  for (const error of errors.filter(
    ({ correctionRequested, printedOn }) => !correctionRequested && printedOn === null,
  )) {
    const change = applyError(lines, error, changedSources, endsAt);
    if (change === null) continue;
    errorChanges.push(change);
    if (change.source !== null) changedSources.add(change.source);
    if (error.kind === "WrongHash") publishWrongHash = true;
  }
  // Corrections come last, so that no error applies to them.
  for (const error of errors.filter(({ correctionRequested }) => correctionRequested)) {
    lines.push(...correctionLines(error, endsAt));
    errorChanges.push({ id: error.id, to: "Corrected" });
  }
  lines.sort((a, b) => (a.line.occurredAt < b.line.occurredAt ? -1 : 1));
  const closingCents = lines.reduce((balance, { line }) => balance + signedCents(line), openingCents);
  return { lines, closingCents, errorChanges, publishWrongHash };
}

/** In raises the balance, Out lowers it. */
export function signedCents({ side, amountCents }: { side: BankSide; amountCents: number }): number {
  return side === "In" ? amountCents : -amountCents;
}

/** Reverses a wrong line and prints the true one, as banks do. */
function correctionLines({ printed, withheld, source }: OpenStatementError, endsAt: Date): ComposedLine[] {
  const lines: ComposedLine[] = [];
  if (printed !== null) {
    const side = printed.side === "In" ? "Out" : "In";
    lines.push({ line: adjustment({ ...printed, side }, endsAt), source: null });
  }
  // An omitted line gets its source now. A changed line has used its source already.
  if (withheld !== null) lines.push({ line: withheld, source: printed === null ? source : null });
  return lines;
}

type Printed = Extract<StatementErrorChange, { to: "Printed" }>;

/**
 * Applies an error to `lines`, at most one per line. Returns null if no line matches yet: the error stays open. The
 * switch has no default, so that a new kind does not compile without a case of its own.
 */
function applyError(
  lines: ComposedLine[],
  error: OpenStatementError,
  changedSources: ReadonlySet<string>,
  endsAt: Date,
): Printed | null {
  const { id, kind } = error;
  switch (kind) {
    case "WrongHash":
      return { id, to: "Printed", source: null, withheld: null, printed: null };
    case "LineAdded": {
      const printed = addedLine(error, endsAt);
      lines.push({ line: printed, source: null });
      return { id, to: "Printed", source: null, withheld: null, printed };
    }
    case "LineMissing":
      return replaceLine(lines, error, changedSources, () => null);
    case "AmountChanged":
      return replaceLine(lines, error, changedSources, (line) => {
        return { ...line, amountCents: error.amountCents ?? line.amountCents + 1 };
      });
  }
}

/**
 * Prints the wrong line in place of the newest one that matches the error and has another amount, or nothing if the
 * wrong line is null.
 */
function replaceLine(
  lines: ComposedLine[],
  error: OpenStatementError,
  changedSources: ReadonlySet<string>,
  wrongLine: (line: PrintedLine) => PrintedLine | null,
): Printed | null {
  const index = lines.findLastIndex(
    ({ line, source }) =>
      source !== null &&
      !changedSources.has(source) &&
      matchesError(error, line) &&
      wrongLine(line)?.amountCents !== line.amountCents,
  );
  const found = lines[index];
  if (found === undefined) return null;
  const { line: withheld, source } = found;
  const printed = wrongLine(withheld);
  lines.splice(index, 1, ...(printed === null ? [] : [{ line: printed, source }]));
  return { id: error.id, to: "Printed", source, withheld, printed };
}

function matchesError({ orderId, reference }: OpenStatementError, line: PrintedLine): boolean {
  return (
    (orderId === null || line.customerReference === orderId) &&
    (reference === null || line.reference === reference)
  );
}

function addedLine(
  { id, orderId, reference, amountCents, side }: OpenStatementError,
  endsAt: Date,
): PrintedLine {
  const account: BankAccount = "SettlementCash";
  const line = {
    account,
    side: side ?? "Out",
    amountCents: amountCents ?? 1,
    reference: reference ?? `ADJ${id.slice(-12).toUpperCase()}`,
    customerReference: orderId,
  };
  return adjustment(line, endsAt);
}

/** A line that the bank books itself, in the last millisecond of the statement. */
function adjustment(line: Omit<PrintedLine, "kind" | "occurredAt">, endsAt: Date): PrintedLine {
  return { ...line, kind: "Adjustment", occurredAt: new Date(endsAt.getTime() - 1).toISOString() };
}
