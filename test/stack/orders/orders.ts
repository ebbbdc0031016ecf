/** The running orders service, with a test that plays the ledger, the rails and the gateway. */
import type { Type } from "@nestjs/common";
import { afterAll, beforeAll } from "vitest";
import type { z } from "zod";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import {
  bookIdOf,
  derivedUuid,
  idOf,
  newId,
  type PaymentOrderId,
  type TenantId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { AnyMessage, Caller, MessageType, RequestType } from "../../../contracts/message.ts";
import { HoldPlaced, HoldRefused, HoldReleased, HoldSettled } from "../../../contracts/messages/ledger.ts";
import { ApproveOrder, CancelOrder, CreateOrder, GetOrder } from "../../../contracts/messages/orders.ts";
import {
  InquireInstruction,
  InstructionAccepted,
  InstructionSettled,
} from "../../../contracts/messages/rails.ts";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import { config } from "../../../services/orders/config.ts";
import type { Phase } from "../../../services/orders/order/payment-order.ts";
import { OrdersModule } from "../../../services/orders/orders.module.ts";
import { createMessage } from "../../../services/platform/messages/message.ts";
import { RpcClient } from "../../../services/platform/rpc/client.ts";
import { Database } from "../../../services/platform/persistence/database.ts";
import { readConfig } from "../../../services/platform/process/config.ts";
import { type RunningService, startService } from "../../../services/platform/run-service.ts";
import { SecretCipher } from "../../../services/platform/encryption/secret-cipher.ts";
import { accounts, PlayedLedger } from "../services/played-ledger.ts";
import { createDatabase, type TestDatabase } from "../servers/database.ts";
import { startMessaging, type TestMessaging } from "../servers/messaging.ts";
import { until } from "../until.ts";

const tenant = newId("ten");
const occurredAt = "2026-03-04T17:00:00.000Z";
const railReference = { traceNumber: "7" };
type CreateBody = z.input<(typeof CreateOrder)["data"]>;

export { accounts };

export class OrdersOnTest {
  database!: TestDatabase;
  messaging!: TestMessaging;
  instances: readonly RunningService[] = [];
  /** The ledger that the test plays. */
  ledger!: PlayedLedger;
  #rpc!: RpcClient;
  readonly #creators = new Map<PaymentOrderId, Caller>();
  #cipher!: SecretCipher;

  /** Runs for the tests of the file, or of the `describe`, that makes it. */
  constructor(instances = 1, environment: NodeJS.ProcessEnv = {}) {
    beforeAll(() => this.#start(instances, environment));
    afterAll(() => this.#stop());
  }

  async #start(count: number, environment: NodeJS.ProcessEnv): Promise<void> {
    [this.messaging, this.database] = await Promise.all([startMessaging(), createDatabase("orders")]);
    this.#cipher = new SecretCipher(this.messaging.encryptionKeys);
    const settings = readConfig(config, {
      ...this.messaging.environment("orders", this.database.urlOf("orders")),
      ...environment,
    });
    this.instances = await Promise.all(
      Array.from({ length: count }, () => startService(OrdersModule.with(settings), settings, "orders")),
    );
    this.#rpc = new RpcClient(await this.messaging.connectAs("gateway"));
    this.ledger = await PlayedLedger.on(await this.messaging.connectAs("ledger"));
  }

  async #stop(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop()));
    await this.messaging.close();
    await this.database.drop();
  }

  /** A part of the first instance. */
  get<T>(part: Type<T>): T {
    const [first] = this.instances;
    if (first === undefined) throw new Error("no instance runs");
    return first.app.get(part);
  }

  /** A person or system of the tenant; the same in every test of the file. */
  caller(principal = "maker", of: TenantId = tenant): Caller {
    return { book: bookIdOf(of, "Test"), tenant: of, mode: "Test", principal, requestId: newId("req") };
  }

  encrypt(accountNumber: string) {
    return this.#cipher.encrypt(accountNumber);
  }

  decrypt(encrypted: EncryptedAccountNumber): string {
    return this.#cipher.decrypt(encrypted);
  }

  /** Somebody of another tenant. */
  stranger(): Caller {
    return this.caller("stranger", newId("ten"));
  }

  /** Asks orders as the gateway does. `body` gives the key its fingerprint. */
  request<T extends RequestType>(
    type: T,
    data: z.input<T["data"]>,
    by: { caller?: Caller; key?: string; body?: string } = {},
  ) {
    const { caller = this.caller(), key, body = "the same body" } = by;
    const idempotency = key === undefined ? undefined : { key, fingerprint: body };
    return this.#rpc.request(type, { caller, idempotency }, data, { deadlineMs: 15_000 });
  }

  /** An Ach credit of 12.50 from Operating, with these changes. */
  body(change: Partial<CreateBody> = {}): CreateBody {
    return {
      direction: "Credit",
      rail: "Ach",
      amountCents: 1_250,
      ledgerAccountName: "Operating",
      counterpartyName: "Blue Freight",
      counterpartyAccountNumber: this.encrypt("4111222233334444"),
      counterpartyRoutingNumber: "021000021",
      ...change,
    };
  }

  async create(
    change: Partial<CreateBody> = {},
    by: { caller?: Caller; key?: string; body?: string } = {},
  ): Promise<PaymentOrder> {
    const { value: order } = await this.request(CreateOrder, this.body(change), by);
    if (by.caller !== undefined) this.#creators.set(order.id, by.caller);
    return order;
  }

  /** Who created an order: the file's own caller, or another of another book. */
  #creatorOf(id: PaymentOrderId): Caller {
    return this.#creators.get(id) ?? this.caller();
  }

  /** The id of an order that holds its money and has come to that phase. */
  async createdTo(
    phase: Phase,
    change: Partial<CreateBody> = {},
    by: { caller?: Caller } = {},
  ): Promise<PaymentOrderId> {
    const { id } = await this.create(change, by);
    await this.holdPlaced(id);
    await this.untilPhase(id, phase);
    return id;
  }

  /** A wire that holds its money and waits for two approvals. */
  waitingWire(by: { caller?: Caller } = {}): Promise<PaymentOrderId> {
    return this.createdTo("AwaitingApproval", { rail: "Wire" }, by);
  }

  async read(id: PaymentOrderId): Promise<PaymentOrder> {
    return (await this.request(GetOrder, { id }, { caller: this.#creatorOf(id) })).value;
  }

  approve(id: PaymentOrderId, principal: string) {
    return this.request(ApproveOrder, { id }, { caller: { ...this.#creatorOf(id), principal } });
  }

  cancel(id: PaymentOrderId) {
    return this.request(CancelOrder, { id });
  }

  untilPhase(id: PaymentOrderId, phase: Phase) {
    return until(`${id} in ${phase}`, async () => (await this.phaseOf(id)) === phase);
  }

  /** The order, once it has that status. */
  untilStatus(id: PaymentOrderId, status: PaymentOrder["status"]): Promise<PaymentOrder> {
    return until(`${id} as ${status}`, async () => {
      const order = await this.read(id);
      return order.status === status && order;
    });
  }

  /** Publishes an event of the ledger or a rail to orders. */
  async publish<T extends MessageType>(
    type: T,
    orderId: PaymentOrderId,
    data: z.input<T["data"]>,
  ): Promise<void> {
    await this.publishAll(type, [[orderId, data]]);
  }

  /** Publishes events about several orders in one envelope. */
  async publishAll<T extends MessageType>(
    type: T,
    about: [PaymentOrderId, z.input<T["data"]>][],
  ): Promise<void> {
    const messages = about.map(([subject, data]) =>
      createMessage(type, { book: this.#creatorOf(subject).book, subject, data }),
    );
    await this.messaging.publish(`${type.subject}.p00`, { messages });
  }

  /** Publishes an event about the book or its tenant, and waits until orders has applied it. */
  async apply(event: AnyMessage, { subject }: MessageType): Promise<void> {
    const sequence = await this.messaging.publish(`${subject}.p00`, { messages: [event] });
    await until("an applied event", async () => {
      // Right after the publication, the consumer may not count the event as pending yet.
      const { ack_floor: floor } = await this.messaging.manager.consumers.info("EVT", "orders");
      return floor.stream_seq >= sequence;
    });
  }

  async holdPlaced(...orderIds: PaymentOrderId[]): Promise<void> {
    await this.publishAll(
      HoldPlaced,
      orderIds.map((id) => [id, ledgerEvent(id, "hold")]),
    );
  }
  async holdSettled(orderId: PaymentOrderId): Promise<void> {
    await this.publish(HoldSettled, orderId, ledgerEvent(orderId, "settle"));
  }
  async holdReleased(orderId: PaymentOrderId): Promise<void> {
    await this.publish(HoldReleased, orderId, ledgerEvent(orderId, "release"));
  }

  async instructionAccepted(orderId: PaymentOrderId): Promise<void> {
    await this.publish(InstructionAccepted, orderId, { orderId, number: 1, occurredAt, railReference });
  }
  async instructionSettled(orderId: PaymentOrderId): Promise<void> {
    await this.publish(InstructionSettled, orderId, { orderId, number: 2, occurredAt, railReference });
  }
  async holdRefused(orderId: PaymentOrderId): Promise<void> {
    const { commandId } = ledgerEvent(orderId, "hold");
    const refusal = { code: "insufficient_funds", detail: "It lacks 1.00." } as const;
    await this.publish(HoldRefused, orderId, { orderId, commandId, ...refusal });
  }

  sql<R extends object>(text: string, params: readonly unknown[] = []): Promise<R[]> {
    return this.get(Database).sql<R>(text, params);
  }

  /** The phase of an order, which callers don't see. */
  async phaseOf(id: PaymentOrderId): Promise<string | undefined> {
    const [row] = await this.sql<{ phase: string }>("select phase from payment_order where id = $1", [
      uuidOf(id),
    ]);
    return row?.phase;
  }

  /** The messages about an order that orders has put into its outbox, of that type or of all, oldest first. */
  async published(id: PaymentOrderId, wanted?: MessageType): Promise<AnyMessage[]> {
    const rows = await this.sql<{ message: AnyMessage }>(
      `select f.message
       from outbox o, jsonb_array_elements(('[' || o.message || ']')::jsonb) f (message)
       where o.book_id = $1 and f.message ->> 'subject' = $2
       order by f.message ->> 'id'`,
      [uuidOf(this.#creatorOf(id).book), id],
    );
    const messages = rows.map(({ message }) => message);
    return wanted === undefined ? messages : messages.filter(({ type }) => type === wanted.type);
  }

  /** The commands among them. */
  async commands(id: PaymentOrderId): Promise<AnyMessage[]> {
    return (await this.published(id)).filter(({ type }) => !type.startsWith("orders."));
  }

  /** Their names, such as `place-hold`. Without inquiries: a rail that is silent for three seconds gets one. */
  async commandNames(id: PaymentOrderId): Promise<string[]> {
    return (await this.commands(id))
      .filter(({ type }) => type !== InquireInstruction.type)
      .map(({ type }) => type.replace(/^\w+\.|\.v1$/g, ""));
  }
}

/** The data of the ledger's event about a step of an order. */
export function ledgerEvent(orderId: PaymentOrderId, step: "hold" | "settle" | "release" | "late-return") {
  return {
    commandId: derivedUuid(orderId, step),
    orderId,
    transactionId: idOf("lt", derivedUuid(orderId, "transaction")),
    sequence: 1,
  };
}
