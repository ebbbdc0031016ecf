/** Notices of change and what they propose, at the orders service under test. */
import type { z } from "zod";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { ProposedChange } from "../../../contracts/http/payments/proposed-changes.ts";
import { type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage, Caller } from "../../../contracts/message.ts";
import {
  AcceptProposedChange,
  CounterpartyChangeProposed,
  DismissProposedChange,
  ListProposedChanges,
} from "../../../contracts/messages/orders.ts";
import { NoticeOfChange } from "../../../contracts/messages/rails.ts";
import type { OrdersOnTest } from "./orders.ts";
import { until } from "../until.ts";

type Correction = z.input<typeof NoticeOfChange.data>["correctedData"];
type Change = Parameters<OrdersOnTest["create"]>[0];
interface By {
  readonly caller?: Caller;
  readonly key?: string;
}

export const longAgo = "2026-01-05T14:00:00.000Z";

export class ProposedChangesOnTest {
  readonly #orders: OrdersOnTest;

  constructor(orders: OrdersOnTest) {
    this.#orders = orders;
  }

  /** An order with the details of its counterparty. */
  pay(counterpartyId: string, change: Change = {}): Promise<PaymentOrder> {
    const none = {
      counterpartyName: undefined,
      counterpartyAccountNumber: undefined,
      counterpartyRoutingNumber: undefined,
    };
    return this.#orders.create({ ...none, counterpartyId, ...change });
  }

  /** A bank corrects an order's data. A copy of the notice has its `number`. */
  notice(orderId: PaymentOrderId, code: string, correctedData: Correction, number = 3, at = longAgo) {
    return { orderId, number, occurredAt: at, code, correctedData };
  }

  /** The order's notices, once there are that many. */
  async shown(id: PaymentOrderId, count: number): Promise<PaymentOrder["noticesOfChange"]> {
    return until(`${String(count)} notices of ${id}`, async () => {
      const { noticesOfChange } = await this.#orders.read(id);
      return noticesOfChange.length === count && noticesOfChange;
    });
  }

  /** A bank corrects an order's data, and the order shows it. */
  async corrects(orderId: PaymentOrderId, code: string, data: Correction, at = new Date().toISOString()) {
    const { length } = (await this.#orders.read(orderId)).noticesOfChange;
    await this.#orders.publish(NoticeOfChange, orderId, this.notice(orderId, code, data, 3 + length, at));
    return (await this.shown(orderId, length + 1)).at(-1);
  }

  async list(id: string, by: By = {}): Promise<ProposedChange[]> {
    return (await this.#orders.request(ListProposedChanges, { id, limit: 25 }, by)).value.data;
  }

  async only(id: string): Promise<ProposedChange> {
    const [only, ...more] = await this.list(id);
    if (only === undefined || more.length > 0) throw new Error("there is not exactly one proposal");
    return only;
  }

  async accept(id: string, changeId: string, { ifMatch, ...by }: By & { ifMatch?: number[] } = {}) {
    return (await this.#orders.request(AcceptProposedChange, { id, changeId, ifMatch }, by)).value;
  }

  async dismiss(id: string, changeId: string, by: By = {}): Promise<ProposedChange> {
    return (await this.#orders.request(DismissProposedChange, { id, changeId }, by)).value;
  }

  /** The events that tell the tenant of proposals for the counterparty. */
  async events(id: string): Promise<AnyMessage[]> {
    const rows = await this.#orders.sql<{ message: AnyMessage }>(
      `select f.message
       from outbox o, jsonb_array_elements(('[' || o.message || ']')::jsonb) f (message)
       where o.book_id = $1 and f.message ->> 'subject' = $2 and f.message ->> 'type' = $3`,
      [uuidOf(this.#orders.caller().book), id, CounterpartyChangeProposed.type],
    );
    return rows.map(({ message }) => message);
  }
}
