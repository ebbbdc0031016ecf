import type { BookId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import type { OrderDirection, Rail, RailReference } from "../../../../contracts/rails/rails.ts";

/** A payment at its rail. The order id identifies it: an instruction that repeats it is the same instruction. */
export interface Instruction {
  readonly orderId: PaymentOrderId;
  readonly book: BookId;
  readonly rail: Rail;
  readonly direction: OrderDirection;
  readonly amountCents: number;
  readonly railReference: RailReference;
}

/** What a rail can report about an instruction. */
export type RailEvent =
  | { readonly kind: "Accepted" }
  | { readonly kind: "Settled" }
  /** Rejected: no money moved. */
  | { readonly kind: "Failed"; readonly code: string; readonly message: string }
  /** Returned by the receiving bank, before settlement or after. */
  | { readonly kind: "Returned"; readonly code: string };

/** An event that the rail has published. Numbers count from 1 without gaps, per instruction. */
export interface PublishedEvent {
  readonly number: number;
  readonly event: RailEvent;
  readonly occurredAt: Date;
}
