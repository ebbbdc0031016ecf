import type { BookId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import type {
  EncryptedAccountNumber,
  OrderDirection,
  Rail,
  RailReference,
} from "../../../../contracts/rails/rails.ts";

/** A payment at its rail. The order id identifies it: an instruction that repeats it is the same instruction. */
export interface Instruction {
  readonly orderId: PaymentOrderId;
  readonly book: BookId;
  readonly rail: Rail;
  readonly direction: OrderDirection;
  readonly amountCents: number;
  readonly railReference: RailReference;
  readonly counterpartyName: string;
}

/** What a rail can report about an instruction. */
export type RailEvent =
  | { readonly kind: "Accepted" }
  | { readonly kind: "Settled" }
  /** Rejected: no money moved. */
  | { readonly kind: "Failed"; readonly code: string; readonly message: string }
  /** Returned by the receiving bank, before settlement or after. A repetition, from 1, has a trace of its own. */
  | { readonly kind: "Returned"; readonly code: string; readonly repetition?: number }
  /** The receiving bank corrects the payment's data. No money moves. */
  | { readonly kind: "NoticeOfChange"; readonly code: string; readonly correctedData: CorrectedData }
  /**
   * A bank returns an entry that belongs to no order. The money of this payment does not move. `reference` is the
   * return's trace number.
   */
  | { readonly kind: "UnmatchedReturn"; readonly code: string; readonly reference: string }
  /** The receiver sends the money back as a new payment with this reference. */
  | { readonly kind: "SentBack"; readonly reference: string };

/** What a receiving bank corrects. */
export interface CorrectedData {
  readonly accountNumber?: EncryptedAccountNumber | undefined;
  readonly routingNumber?: string | undefined;
  readonly name?: string | undefined;
  readonly transactionCode?: string | undefined;
  readonly individualId?: string | undefined;
}

/** An event that the rail has published. Numbers count from 1, per instruction, in the order of what happened. */
export interface PublishedEvent {
  readonly number: number;
  readonly event: RailEvent;
  /** How many copies of the message the rail publishes. Default: 1. */
  readonly copies?: number;
  readonly occurredAt: Date;
}
