import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { WebhookEventType } from "../../../../contracts/http/webhooks/webhooks.ts";
import type { Message } from "../../../../contracts/message.ts";
import {
  InboundPaymentReceived,
  RemittanceCleared,
  RemittanceReturned,
} from "../../../../contracts/messages/ledger-events.ts";
import { OrderStatusChanged } from "../../../../contracts/messages/orders.ts";
import { eventTypeOf, orderData } from "./order-events.ts";

/** What owners are told of. */
export const toldMessages = [
  OrderStatusChanged,
  InboundPaymentReceived,
  RemittanceCleared,
  RemittanceReturned,
] as const;
export type ToldMessage =
  | Message<typeof OrderStatusChanged>
  | Message<typeof InboundPaymentReceived>
  | Message<typeof RemittanceCleared>
  | Message<typeof RemittanceReturned>;

/** Something that its owner can be told, whoever renders it and however often. */
export interface PublicEvent {
  readonly type: WebhookEventType;
  readonly objectId: string;
  /** With `part`, what makes it one change of its object: said again under another message id, it is the same event. */
  readonly sequence: number;
  readonly part: string;
  readonly occurredAt: string;
  readonly dataIn: (version: ApiVersion) => object;
}

/** The public event of a message, or null for one that nobody is told of. */
export function publicEventOf(message: ToldMessage): PublicEvent | null {
  switch (message.type) {
    case OrderStatusChanged.type:
      return ofOrder(message as Message<typeof OrderStatusChanged>);
    case InboundPaymentReceived.type:
      return ofInboundPayment(message as Message<typeof InboundPaymentReceived>);
    case RemittanceCleared.type:
      return ofRemittance("fuel_tax.remittance_cleared", message as Message<typeof RemittanceCleared>);
    case RemittanceReturned.type:
      return ofRemittance("fuel_tax.remittance_returned", message as Message<typeof RemittanceReturned>);
    default:
      throw new TypeError(`nobody renders ${message.type}`);
  }
}

function ofOrder({ data: change }: Message<typeof OrderStatusChanged>): PublicEvent | null {
  const type = eventTypeOf(change);
  if (type === null) return null;
  const { orderId: objectId, sequence, occurredAt } = change;
  const dataIn = (version: ApiVersion) => orderData(change, version);
  return { type, objectId, sequence, part: "", occurredAt, dataIn };
}

/** Version 2 changes orders alone: what follows is the same in every version. */
function ofInboundPayment({ data }: Message<typeof InboundPaymentReceived>): PublicEvent {
  const { inboundPaymentId: id, ...rest } = data;
  const shown = { id, ...rest };
  return {
    type: "inbound_payment.received",
    objectId: id,
    sequence: 1,
    part: "received",
    occurredAt: data.occurredAt,
    dataIn: () => shown,
  };
}

function ofRemittance(
  type: "fuel_tax.remittance_cleared" | "fuel_tax.remittance_returned",
  { data }: Message<typeof RemittanceCleared | typeof RemittanceReturned>,
): PublicEvent {
  const { obligationId, paymentOrderId, occurredAt } = data;
  // An obligation is paid by one order after the other until one stays; each clears once and comes back once.
  const part = `${type} ${paymentOrderId}`;
  return { type, objectId: obligationId, sequence: 1, part, occurredAt, dataIn: () => data };
}
