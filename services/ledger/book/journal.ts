import type {
  BookId,
  LedgerAccountId,
  LedgerTransactionId,
  PaymentOrderId,
} from "../../../contracts/ids/ids.ts";
import type { OrderDirection } from "../../../contracts/rails/rails.ts";
import type { journalKinds } from "../../../contracts/http/ledger/ledger-accounts.ts";
import type { Counters, Layer, Role, Side } from "./account.ts";

export type JournalKind = (typeof journalKinds)[number];

/** The journals that continue a transaction; all others open one. */
export const sequelKinds = ["Settle", "Release", "LateReturn", "Reverse"] as const satisfies JournalKind[];
type SequelKind = (typeof sequelKinds)[number];
export type OpeningKind = Exclude<JournalKind, SequelKind>;

export function isOpening(kind: JournalKind): kind is OpeningKind {
  return !sequelKinds.some((sequel) => sequel === kind);
}

/** One side of a movement, before it is numbered in the book. */
export interface Line {
  readonly accountId: LedgerAccountId;
  readonly currency: string;
  readonly layer: Layer;
  readonly role: Role;
  readonly direction: Side;
  readonly amountCents: bigint;
}

/** A numbered line: the `version`-th entry of its account, and the account's counters after it. */
export interface Entry extends Line {
  readonly line: number;
  readonly version: number;
  readonly totals: Counters;
}

/** A balanced set of entries that is appended whole or not at all, and never changed. */
export interface Journal {
  readonly book: BookId;
  /** Gap-free in its book, from 1. */
  readonly sequence: number;
  readonly kind: JournalKind;
  readonly transactionId: LedgerTransactionId;
  readonly orderId: PaymentOrderId | null;
  readonly commandId: string;
  /** The hold that a Settle or Release ends. */
  readonly resolves: number | null;
  /** The settlement or posting that a LateReturn or Reverse offsets. */
  readonly reverses: number | null;
  readonly effectiveAt: string;
  /** Covers the rows that describe the journal (details.ts); null if it has none. */
  readonly detailsDigest: string | null;
  readonly entries: readonly Entry[];
}

/** A movement between two accounts. */
interface Moved {
  readonly direction: OrderDirection;
  readonly accountId: LedgerAccountId;
  readonly contraId: LedgerAccountId;
  readonly currency: string;
  readonly amountCents: bigint;
}

/**
 * The lines of an order's hold. Credit pays out of the account, Debit collects into it; the contra is the bank, the
 * wallet, or (Book) the counterparty's account.
 *
 * | order  | debit   | credit  |
 * |--------|---------|---------|
 * | Credit | account | contra  |
 * | Debit  | contra  | account |
 */
export function holdLines(order: Moved): Line[] {
  const [debited, credited] =
    order.direction === "Credit" ? [order.accountId, order.contraId] : [order.contraId, order.accountId];
  const held = {
    currency: order.currency,
    layer: "Pending",
    role: "Normal",
    amountCents: order.amountCents,
  } as const;
  return [
    { ...held, accountId: debited, direction: "Debit" },
    { ...held, accountId: credited, direction: "Credit" },
  ];
}

/** Ends a hold: its lines the other way round, still Pending. */
export function releaseLines(hold: readonly Line[]): Line[] {
  return hold.map((line) => ({ ...line, role: "Discharge", direction: oppositeOf(line.direction) }));
}

/** Turns a hold into money: first its discharge, then its lines Posted. */
export function settlementLines(hold: readonly Line[]): Line[] {
  return [...releaseLines(hold), ...hold.map((line): Line => ({ ...line, layer: "Posted" }))];
}

/**
 * Money that the bank moved for an order that is already final. Suspense (`accountId`) replaces the order's account: a
 * settlement is posted as the order would have posted it, a return the other way round.
 */
export function suspenseLines(moved: Moved & { readonly movement: "Settlement" | "Return" }): Line[] {
  const settled = holdLines(moved).map((line): Line => ({ ...line, layer: "Posted" }));
  return moved.movement === "Settlement" ? settled : offsettingLines(settled);
}

/** Offsets the Posted lines one by one, and leaves out the Pending ones. */
export function offsettingLines(lines: readonly Line[]): Line[] {
  return lines
    .filter((line) => line.layer === "Posted")
    .map((line) => ({ ...line, direction: oppositeOf(line.direction) }));
}

function oppositeOf(direction: Side): Side {
  return direction === "Debit" ? "Credit" : "Debit";
}
