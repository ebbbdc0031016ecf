import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { WebhookEventType } from "../../../../contracts/http/webhooks/webhooks.ts";
import type { Fact } from "../../../../contracts/message.ts";
import {
  InboundPaymentReceived,
  RemittanceCleared,
  RemittanceReturned,
} from "../../../../contracts/messages/ledger-events.ts";
import { OrderStatusChanged } from "../../../../contracts/messages/orders.ts";
import { eventTypeOf, orderData } from "./order-events.ts";

/** What owners are told of. */
export const toldFacts = [
  OrderStatusChanged,
  InboundPaymentReceived,
  RemittanceCleared,
  RemittanceReturned,
] as const;
export type ToldFact =
  | Fact<typeof OrderStatusChanged>
  | Fact<typeof InboundPaymentReceived>
  | Fact<typeof RemittanceCleared>
  | Fact<typeof RemittanceReturned>;

/** Something that its owner can be told, whoever renders it and however often. */
export interface PublicEvent {
  readonly type: WebhookEventType;
  readonly objectId: string;
  /** With `part`, what makes it one change of its object: said again under another fact id, it is the same event. */
  readonly sequence: number;
  readonly part: string;
  readonly occurredAt: string;
  readonly dataIn: (version: ApiVersion) => object;
}

/** The public event of a fact, or null for one that nobody is told of. */
export function publicEventOf(fact: ToldFact): PublicEvent | null {
  switch (fact.type) {
    case OrderStatusChanged.type:
      return ofOrder(fact as Fact<typeof OrderStatusChanged>);
    case InboundPaymentReceived.type:
      return ofInboundPayment(fact as Fact<typeof InboundPaymentReceived>);
    case RemittanceCleared.type:
      return ofRemittance("fuel_tax.remittance_cleared", fact as Fact<typeof RemittanceCleared>);
    case RemittanceReturned.type:
      return ofRemittance("fuel_tax.remittance_returned", fact as Fact<typeof RemittanceReturned>);
    default:
      throw new TypeError(`nobody renders ${fact.type}`);
  }
}

function ofOrder({ data: change }: Fact<typeof OrderStatusChanged>): PublicEvent | null {
  const type = eventTypeOf(change);
  if (type === null) return null;
  const { orderId: objectId, sequence, occurredAt } = change;
  const dataIn = (version: ApiVersion) => orderData(change, version);
  return { type, objectId, sequence, part: "", occurredAt, dataIn };
}

/** Version 2 changes orders alone: what follows is the same in every version. */
function ofInboundPayment({ data }: Fact<typeof InboundPaymentReceived>): PublicEvent {
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
  { data }: Fact<typeof RemittanceCleared | typeof RemittanceReturned>,
): PublicEvent {
  const { obligationId, paymentOrderId, occurredAt } = data;
  // An obligation is paid by one order after the other until one stays; each clears once and comes back once.
  const part = `${type} ${paymentOrderId}`;
  return { type, objectId: obligationId, sequence: 1, part, occurredAt, dataIn: () => data };
}
