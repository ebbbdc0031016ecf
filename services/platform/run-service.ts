import "reflect-metadata";
import { createSecretKey } from "node:crypto";
import type { Server } from "node:http";
import { type ArgumentsHost, Catch, type RpcExceptionFilter, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { type NatsConnection } from "@nats-io/transport-node";
import { Logger as NestLogger } from "nestjs-pino";
import type { FastifyHttpOptions } from "fastify";
import type { Logger } from "pino";
import { type Observable, throwError } from "rxjs";
import type { Service } from "../../contracts/message.ts";
import { Relay } from "./outbox/relay.ts";
import { JetStreamStrategy } from "./jetstream-strategy.ts";
import { UnitOfWorkRunner } from "./handlers/unit-of-work.ts";
import { exitWhenClosed } from "./nats/exit-when-closed.ts";
import { Metrics } from "./observability/metrics.ts";
import { logRequests } from "./process/request-log.ts";
import { Database } from "./persistence/database.ts";
import { Housekeeping } from "./persistence/housekeeping.ts";
import { LOG, NATS } from "./platform.module.ts";
import type { PlatformConfig } from "./process/config.ts";
import {
  mountOperations,
  type OperationsEndpoints,
  operationsEndpoints,
  type OperationsServer,
  startOperations,
} from "./process/operations.ts";
import { ConcurrencyLimit } from "./rpc/concurrency-limit.ts";
import { Readiness } from "./process/readiness.ts";
import { ReadinessGauge } from "./process/readiness-gauge.ts";
import { releaseMemoryAtRest } from "./process/release-memory.ts";

/** Passes the original error to the transport. Nest would replace it by "Internal server error". */
@Catch()
class RethrowOriginal implements RpcExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}

export interface RunningService {
  readonly app: NestFastifyApplication;
  /** `http://host:port` of the service's own routes. */
  readonly url: string;
  /** The same for health and metrics. */
  readonly operationsUrl: string;
  /** Readiness off → stop consuming → finish the current work → close the database → drain NATS. */
  stop(): Promise<void>;
}

/**
 * Starts one service: consumers, request handlers, relay, HTTP. `prepare` adds hooks and parsers before the service
 * listens. If `prepare` throws, nothing listens. `http` goes to Fastify's constructor.
 */
export async function startService(
  module: Type | object,
  config: PlatformConfig,
  service: Service,
  prepare?: (app: NestFastifyApplication) => Promise<void> | void,
  http: FastifyHttpOptions<Server> = {},
): Promise<RunningService> {
  const adapter = new FastifyAdapter({ bodyLimit: 1024 * 1024, requestTimeout: 30_000, ...http });
  const app = await NestFactory.create<NestFastifyApplication>(module as Type, adapter, {
    bufferLogs: true,
    rawBody: true,
    abortOnError: false,
  });
  app.useLogger(app.get(NestLogger));
  logRequests(app, app.get<Logger>(LOG), app.get(Metrics));
  await prepare?.(app);
  const readiness = app.get(Readiness);
  const endpoints = operationsEndpoints(readiness, app.get(Metrics));
  if (config.OPERATIONS_PORT === undefined) mountOperations(app.getHttpAdapter().getInstance(), endpoints);
  const nats = app.get<NatsConnection>(NATS);
  const strategy = new JetStreamStrategy({
    service,
    nats,
    database: app.get(Database),
    units: app.get(UnitOfWorkRunner),
    metrics: app.get(Metrics),
    log: app.get<Logger>(LOG),
    underWay: new ConcurrencyLimit(config.REQUESTS_UNDER_WAY),
    deadLetterKey: createSecretKey(Buffer.from(config.NATS_PASSWORD)),
    batchIntervalMs: config.BATCH_INTERVAL_MS,
  });
  readiness.require(() => strategy.missing());
  const microservice = app.connectMicroservice({ strategy }, { deferInitialization: true });
  microservice.useGlobalFilters(new RethrowOriginal());
  await app.get(Housekeeping).prepareOutbox();
  app.get(Relay).start();
  await app.startAllMicroservices();
  // Until the server has the subscriptions, it answers requests with "no responders".
  await nats.flush();
  await app.listen(config.PORT, config.HOST);
  const operations = await startOwnOperations(config, endpoints);
  readiness.setReady(true);
  app.get(ReadinessGauge).wake();
  const url = await app.getUrl();
  return {
    app,
    url,
    operationsUrl: operations?.url ?? url,
    stop: async () => {
      readiness.setReady(false);
      await strategy.close();
      // Nest stops the polling workers (onModuleDestroy), then the relay, then the database.
      await closingIdleConnections(app.getHttpServer(), () => app.close());
      await nats.drain();
      await operations?.close();
    },
  };
}

/** Serves health and metrics on a port of their own, if the service has one. */
async function startOwnOperations(
  { OPERATIONS_PORT: port, OPERATIONS_HOST: host }: PlatformConfig,
  endpoints: OperationsEndpoints,
): Promise<OperationsServer | undefined> {
  return port === undefined ? undefined : startOperations({ port, host }, endpoints);
}

/** How long a stop waits for requests and for callers that read their answers; an orchestrator's patience is longer. */
const answerReadWithinMs = 15_000;

/**
 * Runs `close`, and until it ends closes each connection whose last request is answered. Node does so only for
 * those idle at the start: any other would stay open for Fastify's 72 seconds, and the service with it.
 */
async function closingIdleConnections(server: Server, close: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => server.closeIdleConnections(), 100);
  const last = setTimeout(() => server.closeAllConnections(), answerReadWithinMs);
  await close().finally(() => {
    clearInterval(timer);
    clearTimeout(last);
  });
}

/** Runs a service until SIGTERM or SIGINT, then stops it in order. */
export async function runService(
  module: Type | object,
  config: PlatformConfig,
  service: Service,
  prepare?: (app: NestFastifyApplication) => Promise<void> | void,
  http: FastifyHttpOptions<Server> = {},
): Promise<void> {
  const running = await startService(module, config, service, prepare, http);
  const log = running.app.get<Logger>(LOG);
  log.info({ url: running.url }, "ready");
  releaseMemoryAtRest();
  let stopping = false;
  void exitWhenClosed(running.app.get<NatsConnection>(NATS), log, () => stopping);
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
}
