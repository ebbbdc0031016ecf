import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { WebhookEventType } from "../../../../contracts/http/webhooks/webhooks.ts";
import type { Message } from "../../../../contracts/message.ts";
import { InboundPaymentReceived } from "../../../../contracts/messages/inbound.ts";
import { RemittanceCleared, RemittanceReturned } from "../../../../contracts/messages/obligations.ts";
import { CounterpartyChangeProposed, OrderStatusChanged } from "../../../../contracts/messages/orders.ts";
import { eventTypeOf, orderData } from "./order-events.ts";

/** The messages that become public events. */
export const sourceEvents = [
  OrderStatusChanged,
  CounterpartyChangeProposed,
  InboundPaymentReceived,
  RemittanceCleared,
  RemittanceReturned,
] as const;
export type SourceEvent =
  | Message<typeof OrderStatusChanged>
  | Message<typeof CounterpartyChangeProposed>
  | Message<typeof InboundPaymentReceived>
  | Message<typeof RemittanceCleared>
  | Message<typeof RemittanceReturned>;

/** An event as tenants receive it, before it is rendered in a version of the API. */
export interface PublicEvent {
  readonly type: WebhookEventType;
  readonly objectId: string;
  /**
   * `sequence` and `changeKey` identify one change of the object. A message that reports the same change again under
   * another message id is the same event. Orders number their changes and leave `changeKey` empty.
   */
  readonly sequence: number;
  readonly changeKey: string;
  readonly occurredAt: string;
  /** What the message says, without its object, its sequence and its mode, which the event's row says. */
  readonly payload: object;
  readonly dataFor: (version: ApiVersion) => object;
}

/** The public event of a message, or null if tenants receive none for it. */
export function toPublicEvent(message: SourceEvent): PublicEvent | null {
  switch (message.type) {
    case OrderStatusChanged.type:
      return orderEvent(message as Message<typeof OrderStatusChanged>);
    case CounterpartyChangeProposed.type:
      return changeProposedEvent(message as Message<typeof CounterpartyChangeProposed>);
    case InboundPaymentReceived.type:
      return inboundPaymentEvent(message as Message<typeof InboundPaymentReceived>);
    case RemittanceCleared.type:
      return remittanceEvent("fuel_tax.remittance_cleared", message as Message<typeof RemittanceCleared>);
    case RemittanceReturned.type:
      return remittanceEvent("fuel_tax.remittance_returned", message as Message<typeof RemittanceReturned>);
    default:
      throw new TypeError(`no public event is defined for ${message.type}`);
  }
}

function orderEvent({ data: change }: Message<typeof OrderStatusChanged>): PublicEvent | null {
  const type = eventTypeOf(change);
  if (type === null) return null;
  const { orderId: objectId, sequence, mode: _mode, ...payload } = change;
  const dataFor = (version: ApiVersion) => orderData(change, version);
  return { type, objectId, sequence, changeKey: "", occurredAt: change.occurredAt, payload, dataFor };
}

/** The object is the counterparty. A proposal is made once. */
function changeProposedEvent({
  data: { mode: _mode, ...shown },
}: Message<typeof CounterpartyChangeProposed>): PublicEvent {
  const { counterpartyId: objectId, ...payload } = shown;
  return {
    type: "counterparty.change_proposed",
    objectId,
    sequence: 1,
    changeKey: shown.id,
    occurredAt: shown.receivedAt,
    payload,
    dataFor: () => shown,
  };
}

/** The same in every version: version 2 changes only orders. */
function inboundPaymentEvent({ data }: Message<typeof InboundPaymentReceived>): PublicEvent {
  const { inboundPaymentId: id, ...rest } = data;
  const shown = { id, ...rest };
  return {
    type: "inbound_payment.received",
    objectId: id,
    sequence: 1,
    changeKey: "received",
    occurredAt: data.occurredAt,
    payload: rest,
    dataFor: () => shown,
  };
}

function remittanceEvent(
  type: "fuel_tax.remittance_cleared" | "fuel_tax.remittance_returned",
  { data }: Message<typeof RemittanceCleared | typeof RemittanceReturned>,
): PublicEvent {
  const { obligationId, ...payload } = data;
  const { paymentOrderId, occurredAt } = payload;
  // Several orders may try to pay one obligation, one after another. Each clears at most once and returns at most once.
  const changeKey = `${type} ${paymentOrderId}`;
  return {
    type,
    objectId: obligationId,
    sequence: 1,
    changeKey,
    occurredAt,
    payload,
    dataFor: () => data,
  };
}
