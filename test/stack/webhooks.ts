/** The webhooks service of one test: instances on one database, messages to tell them, a clock that only a test moves. */
import { randomBytes } from "node:crypto";
import { pino } from "pino";
import type { z } from "zod";
import { bookIdOf, newId, newUuid } from "../../contracts/ids/ids.ts";
import type { Message } from "../../contracts/message.ts";
import { OrderStatusChanged } from "../../contracts/messages/orders.ts";
import type { WebhookDelivery, WebhookEndpointCreate } from "../../contracts/http/webhooks/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../services/platform/handlers/decorators.ts";
import { Metrics } from "../../services/platform/observability/metrics.ts";
import type { Database } from "../../services/platform/persistence/database.ts";
import { AccountNumberCipher } from "../../services/platform/encryption/account-number-cipher.ts";
import { Clock } from "../../services/webhooks/clock.ts";
import { type WebhooksConfig, webhooksConfig } from "../../services/webhooks/config.ts";
import { CreateEndpoint } from "../../services/webhooks/endpoints/create-endpoint.handler.ts";
import type { ToldMessage } from "../../services/webhooks/events/domain/public-events.ts";
import { FanOutEvent } from "../../services/webhooks/events/fan-out-event.consumer.ts";
import { FindDeliveries } from "../../services/webhooks/deliveries/query-deliveries.handler.ts";
import { guardedConnector, type Resolve } from "../../services/webhooks/deliveries/http/guarded-connector.ts";
import { ReceiverLanes } from "../../services/webhooks/deliveries/http/endpoint-queues.ts";
import { RetryDeliveryNow } from "../../services/webhooks/deliveries/retry-delivery.handler.ts";
import { DeliverySender } from "../../services/webhooks/deliveries/send-due-deliveries.worker.ts";
import { Receivers } from "../../services/webhooks/deliveries/endpoint-resolver.ts";
import type { TestUnits } from "./units.ts";

/** Stands still until it is moved. */
export class ManualClock extends Clock {
  #nowMs = Date.parse("2026-03-04T17:00:00.000Z");
  readonly #timers = new Set<{ dueMs: number; act: () => void }>();

  now(): Date {
    return new Date(this.#nowMs);
  }

  after(delayMs: number, act: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, act };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
    for (const timer of this.#timers) {
      if (timer.dueMs > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.act();
    }
  }
}

/** As a sandbox has it: loopback is allowed. */
export function someWebhooksConfig(change: Record<string, unknown> = {}): WebhooksConfig {
  return webhooksConfig.parse({
    DATABASE_URL: "postgres://unused",
    NATS_URL: "unused",
    NATS_USER: "unused",
    NATS_PASSWORD: "unused",
    PORT: 7_104,
    ENCRYPTION_KEYS: "unused",
    ALLOWED_TARGET_CIDRS: "127.0.0.0/8,::1/128",
    ...change,
  });
}

/** One key for all instances of a file: they read one another's secrets. */
export const someSeals = new AccountNumberCipher(`k1:${randomBytes(32).toString("base64")}`);

/** A tenant's key on its Test book. */
export function someAsk(
  change: Partial<RequestContext["caller"]> = {},
  idempotencyKey?: string,
  fingerprint = "f1",
): RequestContext {
  const tenant = newId("ten");
  const caller = {
    tenant,
    book: bookIdOf(tenant, "Test"),
    mode: "Test",
    principal: "qa",
    requestId: "req_1",
  } as const;
  return {
    caller: { ...caller, ...change },
    correlationid: "req_1",
    ...(idempotencyKey === undefined ? {} : { idempotency: { key: idempotencyKey, fingerprint } }),
  };
}

type Change = z.input<typeof OrderStatusChanged.data>;

/** An order's change to Completed, its third, under a message id of its own. */
export function aChange(
  ask: RequestContext,
  change: Partial<Change> = {},
): Message<typeof OrderStatusChanged> {
  const data: Change = {
    orderId: newId("po"),
    mode: "Test",
    status: "Completed",
    previousStatus: "Processing",
    sequence: 3,
    occurredAt: "2026-03-04T16:59:59.000Z",
    rail: "Ach",
    direction: "Credit",
    amountCents: 1_250,
    currency: "USD",
    externalId: null,
    ...change,
  };
  return {
    id: newUuid(),
    type: OrderStatusChanged.type,
    time: data.occurredAt,
    book: ask.caller.book,
    subject: data.orderId,
    sequence: data.sequence,
    correlationid: "req_1",
    data: OrderStatusChanged.data.parse(data),
  };
}

interface InstanceOptions {
  readonly config?: Record<string, unknown>;
  readonly clock?: Clock;
  /** Where it records what it sent, when that is not the test's own. */
  readonly database?: Database;
  readonly resolve?: Resolve;
}

/** A running instance, but for its loop: a test takes the loop's turns with `sender.claimDueDeliveries`. */
export class WebhooksInstance {
  readonly sender: DeliverySender;
  readonly fanOut: FanOutEvent;
  readonly endpoints: CreateEndpoint;
  readonly #units: TestUnits;
  readonly #finder: FindDeliveries;
  readonly #retrier: RetryDeliveryNow;

  constructor(units: TestUnits, clock: Clock, options: InstanceOptions = {}) {
    this.#units = units;
    const config = someWebhooksConfig(options.config);
    const receivers = new Receivers(someSeals);
    const connectTimeoutMs = 5_000;
    const resolving = options.resolve === undefined ? {} : { resolve: options.resolve };
    this.sender = new DeliverySender({
      database: options.database ?? units.database,
      receivers,
      clock,
      metrics: new Metrics("webhooks"),
      log: pino({ level: "silent" }),
      lanes: new ReceiverLanes({
        connector: guardedConnector(config.ALLOWED_TARGET_CIDRS, { connectTimeoutMs, ...resolving }),
        concurrency: config.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
      }),
      schedule: { maxAttempts: config.WEBHOOK_MAX_ATTEMPTS, backoffMs: config.WEBHOOK_BACKOFF_MS },
      timeoutMs: config.WEBHOOK_TIMEOUT_MS,
      leaseMs: config.WEBHOOK_LEASE_MS,
    });
    this.fanOut = new FanOutEvent(receivers, this.sender, clock, config);
    this.endpoints = new CreateEndpoint(units.units, someSeals, clock, config);
    this.#finder = new FindDeliveries(units.database);
    this.#retrier = new RetryDeliveryNow(units.units, receivers, this.sender, clock);
  }

  async createEndpoint(ask: RequestContext, create: WebhookEndpointCreate) {
    const answer = await this.endpoints.create(create, ask);
    return answer instanceof IdempotentReplay ? answer.value : answer;
  }

  /** Hears these messages as one batch, and commits. What it sends is sent when `sender.settled()` resolves. */
  tell(...messages: ToldMessage[]): Promise<void> {
    return this.#units.units.run((unit) => this.fanOut.onMessages(messages, unit));
  }

  /** Hears them, commits, and dies before it sends anything. */
  tellAndDie(...messages: ToldMessage[]): Promise<void> {
    return this.#units.units.run((unit) =>
      this.fanOut.onMessages(messages, { ...unit, afterCommit: () => undefined }),
    );
  }

  /** Takes what is due, sends and records it. Answers how many were due. */
  async sendsDue(): Promise<number> {
    const due = await this.sender.claimDueDeliveries();
    await this.sender.settled();
    return due;
  }

  async deliveries(ask: RequestContext): Promise<WebhookDelivery[]> {
    return (await this.#finder.list({ limit: 100 }, ask)).data;
  }

  /** The one delivery of that book, with the bodies of its answers. */
  async delivery(ask: RequestContext): Promise<WebhookDelivery> {
    const [only, ...more] = await this.deliveries(ask);
    if (only === undefined || more.length > 0)
      throw new Error(`${String(more.length + 1)} deliveries, not one`);
    return this.#finder.get({ id: only.id }, ask);
  }

  async get(ask: RequestContext, id: string): Promise<WebhookDelivery> {
    return this.#finder.get({ id }, ask);
  }

  retry(ask: RequestContext, id: string): Promise<WebhookDelivery | IdempotentReplay<WebhookDelivery>> {
    return this.#retrier.retry({ id }, ask);
  }

  stop(): Promise<void> {
    return this.sender.onModuleDestroy();
  }
}
