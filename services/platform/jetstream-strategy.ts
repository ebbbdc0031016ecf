import type { KeyObject } from "node:crypto";
import { type CustomTransportStrategy, type MessageHandler, Server } from "@nestjs/microservices";
import type { NatsConnection } from "@nats-io/transport-node";
import { lastValueFrom } from "rxjs";
import type { Logger } from "pino";
import type { BookId } from "../../contracts/ids/ids.ts";
import type { AnyMessage, MessageType, Service } from "../../contracts/message.ts";
import { durableConsumers, streamOf } from "../../contracts/streams.ts";
import type { Metrics } from "./observability/metrics.ts";
import type { Database } from "./persistence/database.ts";
import { RpcServer } from "./rpc/server.ts";
import { BatchConsumer } from "./consumer/consumer.ts";
import type { RequestHandlerExtras, ConsumesExtras } from "./handlers/decorators.ts";
import { missingStreams } from "./nats/missing-streams.ts";
import type { ConcurrencyLimit } from "./rpc/concurrency-limit.ts";
import type { ApplyOptions } from "./consumer/consumer-parts.ts";
import { deduplicate } from "./consumer/inbox.ts";
import type { UnitOfWorkRunner } from "./handlers/unit-of-work.ts";

export interface StrategyParts {
  readonly service: Service;
  readonly nats: NatsConnection;
  readonly database: Database;
  readonly units: UnitOfWorkRunner;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly underWay: ConcurrencyLimit<BookId>;
  /** Known to this service's instances alone. */
  readonly deadLetterKey: KeyObject;
  /** The least time between the starts of a consumer's batches, in milliseconds. */
  readonly batchIntervalMs: number;
}

interface ConsumingHandler {
  readonly types: ReadonlySet<string>;
  readonly call: (data: unknown, context: unknown) => Promise<unknown>;
}

/**
 * Nest's transport over JetStream and core NATS. `@Consumes` methods get batches of messages from durable pull
 * consumers inside one transaction; `@HandlesRequest` methods answer requests.
 */
export class JetStreamStrategy extends Server implements CustomTransportStrategy {
  readonly #parts: StrategyParts;
  #consumers: BatchConsumer[] = [];
  #rpcServer: RpcServer | undefined;

  constructor(parts: StrategyParts) {
    super();
    this.#parts = parts;
  }

  listen(callback: (error?: unknown) => void): void {
    const handlers = [...this.messageHandlers.values()];
    const consumers = handlers.filter((handler) => handler.isEventHandler === true);
    const requestHandlers = handlers.filter((handler) => handler.isEventHandler !== true);
    this.#consumers = this.#openConsumers(consumers);
    for (const consumer of this.#consumers) consumer.start();
    this.#rpcServer = new RpcServer(
      this.#parts,
      requestHandlers.map((handler) => ({
        type: (handler.extras as unknown as RequestHandlerExtras).answers,
        call: (data, request) => this.#call(handler, data, request),
      })),
    );
    callback();
  }

  /** Takes no further messages and requests, and finishes the current ones. */
  async close(): Promise<void> {
    await Promise.all([...this.#consumers.map((consumer) => consumer.stop()), this.#rpcServer?.stop()]);
  }

  /** What this service's part of the streams lacks; empty if it can publish and consume. */
  async missing(): Promise<string[]> {
    const stopped = this.#consumers.filter((consumer) => consumer.needsNewerVersion);
    return [
      ...(await missingStreams(this.#parts.nats, this.#parts.service)),
      ...stopped.map((consumer) => `a newer version for messages of ${consumer.stream}`),
    ];
  }

  on(): void {
    throw new Error("this transport emits no events");
  }

  unwrap<T>(): T {
    return this.#parts.nats as T;
  }

  #openConsumers(handlers: readonly MessageHandler[]): BatchConsumer[] {
    const types = handlers.flatMap((handler) => (handler.extras as unknown as ConsumesExtras).consumes);
    const byHandler = handlers.map((handler) => ({
      types: new Set((handler.extras as unknown as ConsumesExtras).consumes.map((type) => type.type)),
      call: (data: unknown, context: unknown) => this.#call(handler, data, context),
    }));
    const { service, nats, database, metrics, log, deadLetterKey, batchIntervalMs } = this.#parts;
    return durableConsumers(service).map((config) => {
      const own = types.filter((type) => streamOf(type.subject) === config.stream);
      requireHandlers(config.filterSubjects, own, service);
      return new BatchConsumer({
        nats,
        database,
        metrics,
        log,
        config,
        deadLetterKey,
        types: own,
        batchIntervalMs,
        apply: (messages, options) => this.#apply(messages, byHandler, options),
      });
    });
  }

  #apply(
    messages: readonly AnyMessage[],
    handlers: readonly ConsumingHandler[],
    { first, mayRepeat }: ApplyOptions,
  ): Promise<void> {
    return this.#parts.units.run(async (unit) => {
      await first?.(unit.sql);
      const fresh = await deduplicate(unit.sql, messages, mayRepeat);
      for (const { types, call } of handlers) {
        const own = fresh.filter((message) => types.has(message.type));
        if (own.length > 0) await call(own, unit);
      }
    });
  }

  /** Nest wraps results and errors into observables; this unwraps them. */
  async #call(handler: MessageHandler, data: unknown, context: unknown): Promise<unknown> {
    const stream = this.transformToObservable(await handler(data, context));
    return lastValueFrom(stream, { defaultValue: undefined });
  }
}

/** Without a handler, a consumed subject's messages would be acknowledged unread. */
function requireHandlers(
  filterSubjects: readonly string[],
  types: readonly MessageType[],
  service: Service,
): void {
  const handled = new Set(types.map((type) => `${type.subject}.*`));
  const missing = filterSubjects.filter((subject) => !handled.has(subject));
  if (missing.length > 0) throw new Error(`${service} has no @Consumes method for ${missing.join(", ")}`);
}
