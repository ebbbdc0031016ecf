import type { LedgerTransactionId, ObligationId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { accountIn, type Book, type Outcome } from "./book-state.ts";
import { type AccrueCommand, type LateReturnCommand, type LedgerCommand, transactionOf } from "./commands.ts";
import {
  liabilityOf,
  withMaker,
  type Obligation,
  type ObligationLine,
  obligationOf,
  outstandingOf,
  sumOf,
} from "./obligation.ts";

/** One event of an obligation's history. Append-only. */
export interface ObligationEvent {
  readonly kind: "Fixed" | "Amended" | "Held" | "Refused" | "Cleared" | "Failed" | "Returned" | "Cancelled";
  readonly orderId: PaymentOrderId | null;
  /** In cents: what an accrual added (negative if it reduced), otherwise what the order pays. */
  readonly amountCents: number;
  /** Null if no journal was needed or allowed. */
  readonly journal: { readonly transactionId: LedgerTransactionId; readonly sequence: number } | null;
  /** Only for an accrual. */
  readonly lines: readonly ObligationLine[] | null;
  readonly reason: string | null;
  readonly at: string;
  readonly actor: string;
}

/** The change of an obligation by a journal or a refused hold. */
export interface ObligationTransition {
  readonly after: Obligation;
  readonly event: ObligationEvent;
  readonly returned: ReturnOf | undefined;
}
type ReturnOf = NonNullable<LateReturnCommand["return"]>;

/**
 * The transition of the obligation that a command concerns, after the book has evolved. It is written in the same
 * batch, so that a journal and its obligation always agree. Null if the command concerns no obligation or does not
 * change it.
 */
export function transitionFor(
  book: Book,
  command: LedgerCommand,
  outcome: Outcome,
): ObligationTransition | null {
  const obligation = book.obligations.get(obligationIdOf(book, command) ?? ("" as ObligationId));
  if (obligation === undefined) return null;
  if (outcome.result === "Refused") return refusal(obligation, command, outcome);
  const journal = { transactionId: outcome.transactionId, sequence: outcome.sequence };
  if (command.kind === "Accrue") return accrued(book, obligation, command, journal);
  if (!("orderId" in command)) return null;
  const step = stepOf(command);
  if (step === null) return null;
  return {
    after:
      step.kind === "Held" ? held(obligation) : applyPayment(book, obligation, command.orderId, step.kind),
    event: {
      orderId: command.orderId,
      amountCents: amountOf(book, obligation, command),
      journal,
      lines: null,
      reason: step.reason,
      at: command.effectiveAt,
      actor: "ledger",
      kind: step.kind,
    },
    returned: "return" in command ? command.return : undefined,
  };
}

/** The transition by an accrual. */
function accrued(
  book: Book,
  obligation: Obligation,
  { lines, actor, effectiveAt: at }: AccrueCommand,
  journal: ObligationEvent["journal"],
): ObligationTransition {
  const fixedCents = sumOf(lines);
  const step = { ...accrualStep, lines, actor, at, journal };
  return {
    after: relieveIfPaid(
      book,
      { ...withMaker(obligation, actor), lines, fixedCents, eventCount: obligation.eventCount + 1 },
      null,
    ),
    event: {
      ...step,
      kind: obligation.status === "Open" ? "Fixed" : "Amended",
      amountCents: fixedCents - obligation.fixedCents,
    },
    returned: undefined,
  };
}

/** An amendment that moves figures between lines: nothing is booked, but the history records it. */
export function withSameSum(
  obligation: Obligation,
  lines: readonly ObligationLine[],
  by: Pick<ObligationEvent, "actor" | "at">,
): ObligationTransition {
  return {
    after: { ...withMaker(obligation, by.actor), lines, eventCount: obligation.eventCount + 1 },
    event: { ...accrualStep, ...by, kind: "Amended", amountCents: 0, journal: null, lines },
    returned: undefined,
  };
}
const accrualStep = { orderId: null, reason: null } as const;

/** The obligation that a command concerns: named by it, or found by the liability in its order's hold. */
function obligationIdOf(book: Book, command: LedgerCommand): ObligationId | undefined {
  if (command.kind === "Accrue") return command.obligationId;
  if (command.kind === "Hold") {
    return command.contra.kind === "Obligation" ? command.contra.obligationId : undefined;
  }
  if (book.obligations.size === 0 || !("orderId" in command)) return undefined;
  const opening = book.transactions.get(transactionOf(command))?.opening;
  const liability = opening?.lines.find(
    ({ accountId }) => book.accounts.get(accountId)?.class === "ObligationLiability",
  );
  return liability === undefined ? undefined : obligationOf(liability.accountId);
}

function stepOf(command: LedgerCommand): Pick<ObligationEvent, "kind" | "reason"> | null {
  switch (command.kind) {
    case "Hold":
      return { kind: "Held", reason: null };
    case "Settle":
      return { kind: "Cleared", reason: null };
    case "Release":
      return { kind: command.cause ?? "Cancelled", reason: command.return?.code ?? null };
    case "LateReturn":
      return { kind: "Returned", reason: command.return?.code ?? null };
    default:
      return null;
  }
}

/** A hold that the ledger refused: its order has failed, and the obligation is payable again. */
function refusal(
  obligation: Obligation,
  command: LedgerCommand,
  { code }: Extract<Outcome, { result: "Refused" }>,
): ObligationTransition | null {
  // Any order may name an obligation and be refused. Only the chosen order changes the obligation.
  if (command.kind !== "Hold" || obligation.remittance?.orderId !== command.orderId) return null;
  return {
    after: { ...payable(obligation), eventCount: obligation.eventCount + 1 },
    event: {
      kind: "Refused",
      orderId: command.orderId,
      amountCents: command.amountCents,
      journal: null,
      lines: null,
      reason: code,
      at: command.effectiveAt,
      actor: "ledger",
    },
    returned: undefined,
  };
}

/** Orders has created the order, so the request is not repeated. */
function held(obligation: Obligation): Obligation {
  const { remittance, eventCount } = obligation;
  return {
    ...obligation,
    eventCount: eventCount + 1,
    remittance: remittance === null ? null : { ...remittance, requestedBy: null },
  };
}

/**
 * A late return of one order may arrive while another pays what an amendment added. That other order continues: the
 * return changes only the history.
 */
function applyPayment(
  book: Book,
  obligation: Obligation,
  orderId: PaymentOrderId,
  kind: ObligationEvent["kind"],
): Obligation {
  const moved = { ...obligation, eventCount: obligation.eventCount + 1 };
  const { remittance } = obligation;
  if (remittance !== null && remittance.orderId !== orderId) return moved;
  return relieveIfPaid(book, moved, kind === "Cleared" ? orderId : null);
}

/** Relieved if nothing is outstanding; otherwise payable. */
function relieveIfPaid(book: Book, obligation: Obligation, by: PaymentOrderId | null): Obligation {
  if (outstandingOf(accountIn(book, liabilityOf(obligation.id))) !== 0n) return payable(obligation);
  return {
    ...obligation,
    status: "Relieved",
    paymentOrderId: by ?? obligation.paymentOrderId,
    remittance: null,
  };
}

/** Fixed, without an order. */
export function payable(obligation: Obligation): Obligation {
  return { ...obligation, status: "Fixed", paymentOrderId: null, remittance: null };
}

function amountOf(
  book: Book,
  obligation: Obligation,
  command: Exclude<LedgerCommand, { kind: "Accrue" }>,
): number {
  const liability = liabilityOf(obligation.id);
  const line = book.transactions
    .get(transactionOf(command))
    ?.opening.lines.find(({ accountId }) => accountId === liability);
  return Number(line?.amountCents ?? 0n);
}
