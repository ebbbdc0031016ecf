import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import { type OrderChange, orderData } from "./order-events.ts";

/** An event as its row. */
export interface EventInRow {
  readonly type: string;
  readonly objectId: string;
  readonly sequence: number;
  readonly payload: Readonly<Record<string, unknown>>;
  /** When the event was stored. */
  readonly createdAt: Date;
}

/** When it happened: its `created_at`. */
export function occurredAtOf({ payload, createdAt }: EventInRow): string {
  const at = payload["occurredAt"] ?? payload["receivedAt"];
  return typeof at === "string" ? at : createdAt.toISOString();
}

/** The `data` of an event in a version of the API, from its row: what `PublicEvent.dataFor` made of its message. */
export function dataOf({ type, objectId, sequence, payload }: EventInRow, version: ApiVersion): object {
  if (type.startsWith("payment_order.")) {
    // `mode` is the book's, and not in the data.
    const change = { ...payload, orderId: objectId, sequence, mode: "Test" } as unknown as OrderChange;
    return orderData(change, version);
  }
  if (type.startsWith("fuel_tax.")) return { obligationId: objectId, ...payload };
  if (type === "inbound_payment.received") return { id: objectId, ...payload };
  if (type === "counterparty.change_proposed") {
    const { id, ...rest } = payload;
    return { id, counterpartyId: objectId, ...rest };
  }
  return payload;
}
