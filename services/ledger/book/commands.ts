import type { z } from "zod";
import type {
  LedgerAccountId,
  LedgerTransactionId,
  Mode,
  ObligationId,
  PaymentOrderId,
  TenantId,
} from "../../../contracts/ids/ids.ts";
import type {
  PlaceHold,
  PostLateReturn,
  PostToSuspense,
  ReleaseHold,
  SettleHold,
} from "../../../contracts/messages/ledger.ts";
import type { OrderDirection } from "../../../contracts/rails/rails.ts";
import type { LedgerTransactionCreate } from "../../../contracts/http/ledger/ledger-transactions.ts";
import type { Side } from "./account.ts";
import type { ObligationLine } from "./obligation.ts";

// An order's commands come from the stream: their fields are the message's data.
export type HoldCommand = { readonly kind: "Hold" } & z.output<(typeof PlaceHold)["data"]>;
export type SettleCommand = { readonly kind: "Settle" } & z.output<(typeof SettleHold)["data"]>;
export type ReleaseCommand = { readonly kind: "Release" } & z.output<(typeof ReleaseHold)["data"]>;
export type LateReturnCommand = { readonly kind: "LateReturn" } & z.output<(typeof PostLateReturn)["data"]>;
export type SuspenseCommand = { readonly kind: "Suspense" } & z.output<(typeof PostToSuspense)["data"]>;

/**
 * Books an obligation when it is fixed, or the difference of an amendment. `lines` are all lines of the obligation.
 */
export interface AccrueCommand {
  readonly kind: "Accrue";
  readonly commandId: string;
  readonly transactionId: LedgerTransactionId;
  readonly obligationId: ObligationId;
  readonly lines: readonly ObligationLine[];
  readonly actor: string;
  readonly effectiveAt: string;
}

/** Books money of an order that its receiver sent back as a new payment. Its book exists. */
export interface SentBackCommand {
  readonly kind: "Inbound";
  readonly commandId: string;
  readonly transactionId: LedgerTransactionId;
  readonly bankReference: string;
  readonly contra: { readonly kind: "SettlementCash" | "StablecoinWallet" };
  readonly amountCents: number;
  readonly currency: string;
  /**
   * The account of the Active virtual account that the payment named, or that had paid what it brings back; null if
   * there is none of this book.
   */
  readonly ledgerAccountId: LedgerAccountId | null;
  readonly effectiveAt: string;
  /** Of what the bank reported (details.ts). */
  readonly detailsDigest?: string;
}

/** Books money that the bank received; each bank reference is booked once. The first one may open the book. */
export interface InboundCommand extends SentBackCommand {
  readonly tenantId: TenantId;
  readonly mode: Mode;
}

/** Books to Suspense an unmatched return; each trace number and code is booked once. */
export interface UnmatchedReturnCommand {
  readonly kind: "UnmatchedReturn";
  readonly commandId: string;
  readonly transactionId: LedgerTransactionId;
  /** The trace number of the return. */
  readonly bankReference: string;
  readonly code: string;
  readonly contra: InboundCommand["contra"];
  /** Credit: the money came in. Debit: it went out. */
  readonly direction: OrderDirection;
  readonly amountCents: number;
  readonly currency: string;
  readonly effectiveAt: string;
  /** Of what the bank reported (details.ts). */
  readonly detailsDigest?: string;
}

/** Moves an inbound payment from Suspense to its account. */
export interface AssignCommand {
  readonly kind: "Assign";
  readonly commandId: string;
  readonly transactionId: LedgerTransactionId;
  /** Debit: a return took money that the account has to bear. */
  readonly direction: OrderDirection;
  readonly ledgerAccountId: LedgerAccountId;
  readonly amountCents: number;
  readonly currency: string;
  readonly effectiveAt: string;
}

/** Whether the figures of a manual transaction are real. */
export type Basis = LedgerTransactionCreate["basis"];

/** A line of a manual transaction. The caller names the currency; `decide` compares it with the account's. */
export interface ManualLine {
  readonly ledgerAccountId: LedgerAccountId;
  readonly direction: Side;
  readonly amountCents: number;
  readonly currency: string;
}
interface ManualStep {
  readonly commandId: string;
  readonly transactionId: LedgerTransactionId;
  /** The date that the caller gave. Null: `decide` dates the journal. */
  readonly effectiveAt: string | null;
  /** Of what the caller says about this step (details.ts). */
  readonly detailsDigest?: string;
}
interface ManualOpening extends ManualStep {
  readonly lines: readonly ManualLine[];
  readonly basis: Basis;
}
/** A tenant's own transaction, posted at once. */
export type PostCommand = { readonly kind: "Post" } & ManualOpening;
/** The same in two phases: opened as a hold, then posted or voided. */
export type OpenPendingCommand = { readonly kind: "OpenPending" } & ManualOpening;
export type PostPendingCommand = { readonly kind: "PostPending" } & ManualStep;
export type VoidPendingCommand = { readonly kind: "VoidPending" } & ManualStep;
/** Appends the opposite of a posted manual transaction. */
export type ReverseCommand = { readonly kind: "Reverse" } & ManualStep;

/** Every command that the ledger decides. Each becomes one journal, or a refusal. */
export type LedgerCommand =
  | HoldCommand
  | SettleCommand
  | ReleaseCommand
  | LateReturnCommand
  | SuspenseCommand
  | PostCommand
  | AccrueCommand
  | OpenPendingCommand
  | PostPendingCommand
  | VoidPendingCommand
  | SentBackCommand
  | InboundCommand
  | UnmatchedReturnCommand
  | AssignCommand
  | ReverseCommand;

/**
 * The transaction of an order's hold has the order's uuid, so every step finds it without a lookup. A posting of the
 * order to Suspense is a transaction of its own.
 */
export function transactionOfOrder(orderId: PaymentOrderId): LedgerTransactionId {
  return `lt_${orderId.slice("po_".length)}`;
}

/** The transaction that a command opens or continues. */
export function transactionOf(command: LedgerCommand): LedgerTransactionId {
  return "transactionId" in command ? command.transactionId : transactionOfOrder(command.orderId);
}
