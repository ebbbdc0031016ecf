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
  PostJournal,
  PostLateReturn,
  PostToSuspense,
  ReleaseHold,
  ReverseJournal,
  SettleHold,
} from "../../../contracts/messages/ledger.ts";
import type { ObligationLine } from "./obligation.ts";

export type HoldCommand = { readonly kind: "Hold" } & z.output<(typeof PlaceHold)["data"]>;
export type SettleCommand = { readonly kind: "Settle" } & z.output<(typeof SettleHold)["data"]>;
export type ReleaseCommand = { readonly kind: "Release" } & z.output<(typeof ReleaseHold)["data"]>;
export type LateReturnCommand = { readonly kind: "LateReturn" } & z.output<(typeof PostLateReturn)["data"]>;
export type SuspenseCommand = { readonly kind: "Suspense" } & z.output<(typeof PostToSuspense)["data"]>;
/** A liability becomes fixed, or an amended return changes it; `lines` are the whole of what is owed then. */
export interface AccrueCommand {
  readonly kind: "Accrue";
  readonly commandId: string;
  readonly transactionId: LedgerTransactionId;
  readonly obligationId: ObligationId;
  readonly lines: readonly ObligationLine[];
  readonly actor: string;
  readonly effectiveAt: string;
}
export type PostCommand = { readonly kind: "Post" } & Manual;
/** Money that the bank took in, once for each of its references. */
export interface InboundCommand {
  readonly kind: "Inbound";
  readonly commandId: string;
  readonly tenantId: TenantId;
  readonly mode: Mode;
  readonly transactionId: LedgerTransactionId;
  readonly bankReference: string;
  readonly contra: { readonly kind: "SettlementCash" | "StablecoinWallet" };
  readonly amountCents: number;
  readonly currency: string;
  /** Where its number leads; null where it leads nowhere. */
  readonly ledgerAccountId: LedgerAccountId | null;
  readonly effectiveAt: string;
}
/** What of Suspense finds its account. */
export interface AssignCommand {
  readonly kind: "Assign";
  readonly commandId: string;
  readonly transactionId: LedgerTransactionId;
  readonly ledgerAccountId: LedgerAccountId;
  readonly amountCents: number;
  readonly currency: string;
  readonly effectiveAt: string;
}
export type ReverseCommand = { readonly kind: "Reverse" } & z.output<(typeof ReverseJournal)["data"]>;

/** A manual transaction that waits: its lines, held. */
export type OpenPendingCommand = { readonly kind: "OpenPending" } & Manual;
/** Its end, either way. */
export type PostPendingCommand = { readonly kind: "PostPending" } & PendingStep;
export type VoidPendingCommand = { readonly kind: "VoidPending" } & PendingStep;

type PostData = z.output<(typeof PostJournal)["data"]>;
/** A caller names the currency, and the account says whether it is right. */
export type ManualLine = Omit<PostData["lines"][number], "currency"> & { readonly currency: string };
type Manual = Omit<PostData, "lines"> & { readonly lines: readonly ManualLine[] };
type PendingStep = Omit<ReverseCommand, "kind">;

/** What the ledger can be told to append, named after the journal that it becomes or what is done to a transaction. */
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
  | InboundCommand
  | AssignCommand
  | ReverseCommand;

/** An order has one ledger transaction, with its own uuid: no look-up, and the same one for every step. */
export function transactionOfOrder(orderId: PaymentOrderId): LedgerTransactionId {
  return `lt_${orderId.slice("po_".length)}`;
}

/** The transaction that a command opens or goes on with. */
export function transactionOf(command: LedgerCommand): LedgerTransactionId {
  return "transactionId" in command ? command.transactionId : transactionOfOrder(command.orderId);
}
