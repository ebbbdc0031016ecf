/** The webhooks service for one test: instances on one database, messages to consume, a clock that the test moves. */
import { randomBytes } from "node:crypto";
import { pino } from "pino";
import type { z } from "zod";
import { bookIdOf, newId, newUuid } from "../../../contracts/ids/ids.ts";
import { type BookClock, instantClock } from "../../../contracts/book-clock.ts";
import type { Message } from "../../../contracts/message.ts";
import { OrderStatusChanged } from "../../../contracts/messages/orders.ts";
import type { WebhookDelivery, WebhookEndpointCreate } from "../../../contracts/http/webhooks/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../../services/platform/handlers/decorators.ts";
import { saveClock } from "../../../services/platform/clock/book-clocks.ts";
import { Metrics } from "../../../services/platform/observability/metrics.ts";
import type { Database } from "../../../services/platform/persistence/database.ts";
import { SecretCipher } from "../../../services/platform/encryption/secret-cipher.ts";
import type { ProcessClock } from "../../../services/webhooks/process-clock.ts";
import { FollowClock } from "../../../services/webhooks/clock/follow-clock.ts";
import { type WebhooksConfig, webhooksConfig } from "../../../services/webhooks/config.ts";
import { CreateEndpoint } from "../../../services/webhooks/endpoints/create-endpoint.handler.ts";
import { RotateSecret } from "../../../services/webhooks/endpoints/rotate-secret.handler.ts";
import { UpdateEndpoint } from "../../../services/webhooks/endpoints/update-endpoint.handler.ts";
import type { SourceEvent } from "../../../services/webhooks/events/domain/public-events.ts";
import { DisableFailing } from "../../../services/webhooks/disabling/disable-failing.worker.ts";
import { EventFanOut } from "../../../services/webhooks/events/event-fan-out.ts";
import { FanOutEvent } from "../../../services/webhooks/events/fan-out-event.consumer.ts";
import { TestEndpoint } from "../../../services/webhooks/events/test-endpoint.handler.ts";
import { ManageReplays } from "../../../services/webhooks/replay/manage-replays.handler.ts";
import { SendReplays } from "../../../services/webhooks/replay/send-replays.worker.ts";
import { QueryEvents } from "../../../services/webhooks/events/query-events.handler.ts";
import { QueryDeliveries } from "../../../services/webhooks/deliveries/query-deliveries.handler.ts";
import { guardedConnector } from "../../../services/webhooks/deliveries/http/guarded-connector.ts";
import type { Resolve } from "../../../services/webhooks/deliveries/http/resolve-host.ts";
import type { Probes } from "../../../services/webhooks/deliveries/http/own-faults.ts";
import { DeliveryAnnouncements } from "../../../services/webhooks/deliveries/delivery-announcements.ts";
import { EndpointQueues } from "../../../services/webhooks/deliveries/http/endpoint-queues.ts";
import { DeleteEndpoint } from "../../../services/webhooks/deliveries/delete-endpoint.handler.ts";
import { RetryDeliveryHandler } from "../../../services/webhooks/deliveries/retry-delivery.handler.ts";
import { DeliverySender } from "../../../services/webhooks/deliveries/send-due-deliveries.worker.ts";
import { EndpointResolver } from "../../../services/webhooks/deliveries/endpoint-resolver.ts";
import type { TestUnits } from "../database/units.ts";

export { TestClock } from "../test-clock.ts";

/** The configuration of a sandbox: loopback is allowed. */
export function testWebhooksConfig(change: Record<string, unknown> = {}): WebhooksConfig {
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

/** All instances of a file share one key, so that they can decrypt one another's secrets. */
export const testCipher = new SecretCipher(`k1:${randomBytes(32).toString("base64")}`);

/** A request of a key for a tenant's book of a mode: by default the Test book of a new tenant. */
export function requestContext(
  { tenant = newId("ten"), mode = "Test" }: Partial<Pick<RequestContext["caller"], "tenant" | "mode">> = {},
  idempotencyKey?: string,
  fingerprint = "f1",
): RequestContext {
  return {
    caller: { tenant, book: bookIdOf(tenant, mode), mode, principal: "qa", requestId: "req_1" },
    correlationid: "req_1",
    ...(idempotencyKey === undefined ? {} : { idempotency: { key: idempotencyKey, fingerprint } }),
  };
}

type Change = z.input<typeof OrderStatusChanged.data>;

/** The third status change of a new order, to Completed, with a new message id. */
export function statusChange(
  context: RequestContext,
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
    book: context.caller.book,
    subject: data.orderId,
    sequence: data.sequence,
    correlationid: "req_1",
    data: OrderStatusChanged.data.parse(data),
  };
}

interface InstanceOptions {
  readonly config?: Record<string, unknown>;
  readonly clock?: ProcessClock;
  /** The sender's database, if it is not the test's. */
  readonly database?: Database;
  readonly resolve?: Resolve;
  /** What it finds of its own side of the network; without them it is well. */
  readonly probes?: Probes;
  /** The jitter of pauses; without it there is none. */
  readonly random?: () => number;
}

const wellProbes: Probes = {
  resolverAnswers: () => Promise.resolve(true),
  hasRoute: () => Promise.resolve(true),
};

/** A running instance without its polling: a test calls `sendDue` for each tick. */
export class WebhooksInstance {
  readonly metrics = new Metrics("webhooks");
  /** What was announced to open screens: subject and envelope of each message. */
  readonly announced: { readonly subject: string; readonly envelope: string }[] = [];
  readonly sender: DeliverySender;
  readonly fanOut: FanOutEvent;
  readonly endpoints: CreateEndpoint;
  readonly updates: UpdateEndpoint;
  readonly deletions: DeleteEndpoint;
  readonly secrets: RotateSecret;
  readonly tests: TestEndpoint;
  readonly disabling: DisableFailing;
  readonly follower: FollowClock;
  readonly events: QueryEvents;
  readonly replays: ManageReplays;
  readonly replaySender: SendReplays;
  readonly #units: TestUnits;
  readonly #query: QueryDeliveries;
  readonly #retry: RetryDeliveryHandler;

  constructor(units: TestUnits, clock: ProcessClock, options: InstanceOptions = {}) {
    this.#units = units;
    const config = testWebhooksConfig(options.config);
    const resolver = new EndpointResolver(testCipher);
    const announcements = new DeliveryAnnouncements(
      { publish: (subject, envelope) => void this.announced.push({ subject, envelope: String(envelope) }) },
      pino({ level: "silent" }),
    );
    const resolving = options.resolve === undefined ? {} : { resolve: options.resolve };
    this.sender = new DeliverySender({
      units: units.units,
      database: options.database ?? units.database,
      endpoints: resolver,
      clock,
      announcements,
      metrics: this.metrics,
      log: pino({ level: "silent" }),
      queues: new EndpointQueues({
        connector: guardedConnector(config.ALLOWED_TARGET_CIDRS, {
          probes: options.probes ?? wellProbes,
          ...resolving,
        }),
        concurrency: config.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
        clock,
      }),
      schedule: { maxAttempts: config.WEBHOOK_MAX_ATTEMPTS, backoffMs: config.WEBHOOK_BACKOFF_MS },
      random: options.random ?? (() => 0),
      timeoutMs: config.WEBHOOK_TIMEOUT_MS,
      leaseMs: config.WEBHOOK_LEASE_MS,
    });
    const eventFanOut = new EventFanOut(resolver, this.sender, announcements, clock, config);
    this.fanOut = new FanOutEvent(eventFanOut, clock);
    this.endpoints = new CreateEndpoint(units.units, testCipher, clock, config);
    this.updates = new UpdateEndpoint(units.units, config);
    this.deletions = new DeleteEndpoint(units.units, clock);
    this.secrets = new RotateSecret(units.units, testCipher, clock);
    this.tests = new TestEndpoint(units.units, resolver, this.sender, clock);
    this.disabling = new DisableFailing(
      units.units,
      units.database,
      eventFanOut,
      clock,
      this.metrics,
      pino({ level: "silent" }),
    );
    this.follower = new FollowClock(this.sender, this.disabling, clock);
    this.events = new QueryEvents(units.database);
    this.replays = new ManageReplays(units.units, units.database, clock);
    this.replaySender = new SendReplays(
      units.units,
      units.database,
      resolver,
      this.sender,
      announcements,
      clock,
      config,
      this.metrics,
      pino({ level: "silent" }),
    );
    this.#query = new QueryDeliveries(units.database);
    this.#retry = new RetryDeliveryHandler(units.units, resolver, this.sender, clock);
  }

  async createEndpoint(context: RequestContext, create: WebhookEndpointCreate) {
    const answer = await this.endpoints.create(create, context);
    return answer instanceof IdempotentReplay ? answer.value : answer;
  }

  /** Consumes these messages as one batch and commits. The deliveries are sent when `sender.whenIdle()` resolves. */
  consume(...messages: SourceEvent[]): Promise<void> {
    return this.#units.units.run((unit) => this.fanOut.onMessages(messages, unit));
  }

  /** Consumes these messages and sends their deliveries. */
  async deliver(...messages: SourceEvent[]): Promise<void> {
    await this.consume(...messages);
    await this.sender.whenIdle();
  }

  /** Consumes them, commits, and crashes before it sends anything. */
  consumeAndCrash(...messages: SourceEvent[]): Promise<void> {
    return this.#units.units.run((unit) =>
      this.fanOut.onMessages(messages, { ...unit, afterCommit: () => undefined }),
    );
  }

  /** Claims, sends and records what is due. Returns how many deliveries were due. */
  async sendDue(): Promise<number> {
    const due = await this.sender.claimDueDeliveries();
    await this.sender.whenIdle();
    return due;
  }

  async deliveries(context: RequestContext): Promise<WebhookDelivery[]> {
    return (await this.#query.list({ limit: 100 }, context)).data;
  }

  /** The only delivery of the book, with response bodies. */
  async delivery(context: RequestContext): Promise<WebhookDelivery> {
    const [only, ...more] = await this.deliveries(context);
    if (only === undefined || more.length > 0)
      throw new Error(`the book has ${String(more.length + (only ? 1 : 0))} deliveries instead of one`);
    return this.#query.get({ id: only.id }, context);
  }

  async get(context: RequestContext, id: string): Promise<WebhookDelivery> {
    return this.#query.get({ id }, context);
  }

  /** Sets the clock of the caller's book for the `sequence`th time. */
  setClock({ caller }: RequestContext, sequence: number, clock: Partial<BookClock>): Promise<void> {
    return this.#units.units.run(async ({ sql }) => {
      const saved = await saveClock(sql, caller.book, { ...instantClock, ...clock, sequence });
      if (saved !== undefined) await this.follower.onChange(sql, caller.book, saved);
    });
  }

  retry(context: RequestContext, id: string): Promise<WebhookDelivery | IdempotentReplay<WebhookDelivery>> {
    return this.#retry.retry({ id }, context);
  }

  stop(): Promise<void> {
    return this.sender.onModuleDestroy();
  }
}
