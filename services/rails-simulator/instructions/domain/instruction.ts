import type { BookId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import type { OrderDirection, Rail, RailReference } from "../../../../contracts/rails/rails.ts";

/** A payment at its rail. The order's id is the reference: the same instruction twice is one instruction. */
export interface Instruction {
  readonly orderId: PaymentOrderId;
  readonly book: BookId;
  readonly rail: Rail;
  readonly direction: OrderDirection;
  readonly amountCents: number;
  readonly railReference: RailReference;
}

/** What a rail can say of an instruction. */
export type RailEvent =
  | { readonly kind: "Accepted" }
  | { readonly kind: "Settled" }
  /** No money moved. */
  | { readonly kind: "Failed"; readonly code: string; readonly message: string }
  /** The bank sent it back, before settlement or after. */
  | { readonly kind: "Returned"; readonly code: string };

/** An event that the rail has said. Numbers count from 1 without a gap, per instruction. */
export interface SaidEvent {
  readonly number: number;
  readonly event: RailEvent;
  readonly occurredAt: Date;
}
