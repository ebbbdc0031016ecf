import type { BankAccount, BankSide } from "../../../../contracts/http/ledger/reconciliations.ts";
import type { BankStatementFaultId } from "../../../../contracts/ids/ids.ts";
import type { StatementLine } from "../../../../contracts/messages/bank-statements.ts";

/** What a statement prints of a movement; its place comes last. */
export type PrintedLine = Omit<StatementLine, "line">;

export interface UnstatedMovement {
  /** Which movement of the bank's book it is: nothing but a key. */
  readonly source: string;
  readonly line: PrintedLine;
}

/** A mistake that the bank is to make, has made, or is to put right. */
export interface OpenFault {
  readonly id: BankStatementFaultId;
  readonly kind: "LineMissing" | "LineAdded" | "AmountChanged" | "WrongHash";
  readonly orderId: string | null;
  readonly reference: string | null;
  readonly amountCents: number | null;
  readonly side: BankSide | null;
  readonly printedOn: number | null;
  readonly correct: boolean;
  readonly source: string | null;
  readonly withheld: PrintedLine | null;
  readonly printed: PrintedLine | null;
}

/** What becomes of a fault on this statement. */
export type FaultChange =
  | {
      readonly id: BankStatementFaultId;
      readonly to: "Printed";
      readonly source: string | null;
      readonly withheld: PrintedLine | null;
      readonly printed: PrintedLine | null;
    }
  | { readonly id: BankStatementFaultId; readonly to: "Corrected" };

export interface DrawnLine {
  readonly line: PrintedLine;
  readonly source: string | null;
}
export interface DrawnStatement {
  readonly lines: readonly DrawnLine[];
  readonly closingCents: number;
  readonly changes: readonly FaultChange[];
  /** It is told with a hash that is not its own. */
  readonly wrongHash: boolean;
}

/**
 * Draws a statement up: the movements in order of time, what earlier mistakes are to be put right, and the mistakes that
 * are to be made. The balance follows the lines, as printed.
 * @param movements those that were on no statement yet, without those that an earlier fault holds back.
 */
export function drawStatement(
  openingCents: number,
  movements: readonly UnstatedMovement[],
  faults: readonly OpenFault[],
  endsAt: Date,
): DrawnStatement {
  const lines: DrawnLine[] = movements.map(({ line, source }) => ({ line, source }));
  const changes: FaultChange[] = [];
  const spoiled = new Set<string>();
  let wrongHash = false;
  for (const fault of faults.filter(({ correct, printedOn }) => !correct && printedOn === null)) {
    const change = spoil(lines, fault, spoiled, endsAt);
    if (change === null) continue;
    changes.push(change);
    if (change.source !== null) spoiled.add(change.source);
    if (fault.kind === "WrongHash") wrongHash = true;
  }
  // After the mistakes: none of them spoils what is put right.
  for (const fault of faults.filter(({ correct }) => correct)) {
    lines.push(...correctionsOf(fault, endsAt));
    changes.push({ id: fault.id, to: "Corrected" });
  }
  lines.sort((a, b) => (a.line.occurredAt < b.line.occurredAt ? -1 : 1));
  const closingCents = lines.reduce((balance, { line }) => balance + signedCents(line), openingCents);
  return { lines, closingCents, changes, wrongHash };
}

/** In raises the balance, Out lowers it. */
export function signedCents({ side, amountCents }: { side: BankSide; amountCents: number }): number {
  return side === "In" ? amountCents : -amountCents;
}

/** A misprinted line the other way round, then the true one: as banks do it. */
function correctionsOf({ printed, withheld, source }: OpenFault, endsAt: Date): DrawnLine[] {
  const lines: DrawnLine[] = [];
  if (printed !== null) {
    const side = printed.side === "In" ? "Out" : "In";
    lines.push({ line: made({ ...printed, side }, endsAt), source: null });
  }
  // A line that was left out is printed at last; one that was misprinted has used its movement up.
  if (withheld !== null) lines.push({ line: withheld, source: printed === null ? source : null });
  return lines;
}

/** Makes the mistake in `lines`, none of them twice; null where there is no such line yet. */
function spoil(
  lines: DrawnLine[],
  fault: OpenFault,
  spoiled: ReadonlySet<string>,
  endsAt: Date,
): Extract<FaultChange, { to: "Printed" }> | null {
  const { id, kind } = fault;
  if (kind === "WrongHash") return { id, to: "Printed", source: null, withheld: null, printed: null };
  if (kind === "LineAdded") {
    const printed = addedLine(fault, endsAt);
    lines.push({ line: printed, source: null });
    return { id, to: "Printed", source: null, withheld: null, printed };
  }
  const place = lines.findLastIndex(
    ({ line, source }) => source !== null && !spoiled.has(source) && isMeant(fault, line),
  );
  const found = lines[place];
  if (found === undefined) return null;
  const { line: withheld, source } = found;
  if (kind === "LineMissing") {
    lines.splice(place, 1);
    return { id, to: "Printed", source, withheld, printed: null };
  }
  const printed = { ...withheld, amountCents: fault.amountCents ?? withheld.amountCents + 1 };
  lines[place] = { line: printed, source };
  return { id, to: "Printed", source, withheld, printed };
}

function isMeant({ orderId, reference }: OpenFault, line: PrintedLine): boolean {
  return (
    (orderId === null || line.customerReference === orderId) &&
    (reference === null || line.reference === reference)
  );
}

function addedLine({ id, orderId, reference, amountCents, side }: OpenFault, endsAt: Date): PrintedLine {
  const account: BankAccount = "SettlementCash";
  const line = {
    account,
    side: side ?? "Out",
    amountCents: amountCents ?? 1,
    reference: reference ?? `ADJ${id.slice(-12).toUpperCase()}`,
    customerReference: orderId,
  };
  return made(line, endsAt);
}

/** What the bank books by itself, in the last millisecond of the statement. */
function made(line: Omit<PrintedLine, "kind" | "occurredAt">, endsAt: Date): PrintedLine {
  return { ...line, kind: "Adjustment", occurredAt: new Date(endsAt.getTime() - 1).toISOString() };
}
