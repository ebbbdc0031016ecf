import { type DynamicModule, Global, Module, type Provider, type Type } from "@nestjs/common";
import { MikroOrmModule } from "@mikro-orm/nestjs";
import { type EntitySchema, MikroORM, PostgreSqlDriver } from "@mikro-orm/postgresql";
import type { NatsConnection } from "@nats-io/transport-node";
import { LoggerModule } from "nestjs-pino";
import type { Logger } from "pino";
import type { Service } from "../../contracts/message.ts";
import { BooksWithClock } from "./clock/books-with-clock.ts";
import { measuresDeadLetters } from "../../contracts/streams.ts";
import { connectNats } from "./nats/connection.ts";
import { ConsumerLag } from "./nats/consumer-lag.ts";
import { DeadLetters } from "./nats/dead-letters.ts";
import { StreamFill } from "./nats/stream-fill.ts";
import { Relay } from "./outbox/relay.ts";
import { RpcClient } from "./rpc/client.ts";
import { UnitOfWorkRunner } from "./handlers/unit-of-work.ts";
import { createLogger } from "./observability/logger.ts";
import { failedTicksOf } from "./observability/failed-ticks.ts";
import { Metrics } from "./observability/metrics.ts";
import { Database } from "./persistence/database.ts";
import { Housekeeping } from "./persistence/housekeeping.ts";
import { sessionOptions } from "./persistence/session-limits.ts";
import { setTypeParsers, prepareOnce } from "./persistence/sql.ts";
import type { PlatformConfig } from "./process/config.ts";
import { Readiness } from "./process/readiness.ts";
import { ReadinessGauge } from "./process/readiness-gauge.ts";
import { SecretCipher } from "./encryption/secret-cipher.ts";

/** Injection tokens for values that have no class of ours. */
export const NATS = Symbol("NATS");
export const LOG = Symbol("LOG");

export interface PlatformOptions {
  readonly service: Service;
  readonly config: PlatformConfig & { readonly ENCRYPTION_KEYS?: string };
  readonly entities?: readonly EntitySchema[];
}

/** The parts that every service needs; global in the service. */
@Global()
@Module({})
export class PlatformModule {
  static forService({ service, config, entities = [] }: PlatformOptions): DynamicModule {
    const log = createLogger(service, config.LOG_LEVEL);
    return {
      module: PlatformModule,
      imports: [MikroOrmModule.forRoot(ormOptions(config, entities, log)), nestLogging(log)],
      providers: [
        { provide: LOG, useValue: log },
        { provide: NATS, useFactory: () => connectNats(config) },
        { provide: Metrics, useFactory: () => new Metrics(service) },
        ...(config.ENCRYPTION_KEYS === undefined
          ? []
          : [{ provide: SecretCipher, useValue: new SecretCipher(config.ENCRYPTION_KEYS) }]),
        { provide: Database, useFactory: (orm: MikroORM) => new Database(orm), inject: [MikroORM] },
        ...messagingProviders(service, log),
        {
          provide: Housekeeping,
          useFactory: (database: Database, metrics: Metrics) =>
            new Housekeeping(database, log, failedTicksOf(metrics)),
          inject: [Database, Metrics],
        },
        {
          provide: UnitOfWorkRunner,
          useFactory: (database: Database, relay: Relay, clocks: BooksWithClock) =>
            new UnitOfWorkRunner(database, relay, config.PARTITIONS, connectionsForRequests(config), (book) =>
              clocks.has(book),
            ),
          inject: [Database, Relay, BooksWithClock],
        },
        {
          provide: BooksWithClock,
          useFactory: (database: Database, metrics: Metrics) =>
            new BooksWithClock(database, log, failedTicksOf(metrics)),
          inject: [Database, Metrics],
        },
        ...readinessProviders(log),
      ],
      exports: [
        ...(config.ENCRYPTION_KEYS === undefined ? [] : [SecretCipher]),
        LOG,
        NATS,
        Metrics,
        Database,
        Housekeeping,
        Relay,
        BooksWithClock,
        UnitOfWorkRunner,
        RpcClient,
        Readiness,
      ],
    };
  }
}

/** The other half is left for reads, and for consumers and workers, which may wait for the same locks. */
const connectionsForRequests = ({ DATABASE_POOL: pool }: PlatformConfig) => Math.floor(pool / 2);

/** Publishing, requesting, and gauges of the streams. */
function messagingProviders(service: Service, log: Logger): Provider[] {
  return [
    ...streamGauges(service, log),
    {
      provide: Relay,
      useFactory: (database: Database, nats: NatsConnection, metrics: Metrics) =>
        new Relay(database, nats, metrics, log),
      inject: [Database, NATS, Metrics],
    },
    { provide: RpcClient, useFactory: (nats: NatsConnection) => new RpcClient(nats), inject: [NATS] },
  ];
}

function readinessProviders(log: Logger): Provider[] {
  return [
    {
      provide: Readiness,
      useFactory: (database: Database, nats: NatsConnection) => new Readiness(database, nats),
      inject: [Database, NATS],
    },
    {
      provide: ReadinessGauge,
      useFactory: (readiness: Readiness, metrics: Metrics) => new ReadinessGauge(readiness, metrics, log),
      inject: [Readiness, Metrics],
    },
  ];
}

function streamGauges(service: Service, log: Logger): Provider[] {
  const gauge = (type: Type, create: (nats: NatsConnection, metrics: Metrics) => object): Provider => ({
    provide: type,
    useFactory: create,
    inject: [NATS, Metrics],
  });
  return [
    gauge(StreamFill, (nats, metrics) => new StreamFill(service, nats, metrics, log)),
    gauge(ConsumerLag, (nats, metrics) => new ConsumerLag(service, nats, metrics, log)),
    ...(service === measuresDeadLetters
      ? [gauge(DeadLetters, (nats, metrics) => new DeadLetters(nats, metrics, log))]
      : []),
  ];
}

/** Without them MikroORM would look for these extensions. A service neither migrates nor seeds its database. */
const extensionPlaceholders = ["SeedManager", "Migrator", "EntityGenerator"].map((name) => ({
  name,
  register: () => undefined,
}));

function ormOptions(config: PlatformConfig, entities: readonly EntitySchema[], log: Logger) {
  return {
    driver: PostgreSqlDriver,
    clientUrl: config.DATABASE_URL,
    entities: [...entities],
    discovery: { warnWhenNoEntities: false },
    extensions: extensionPlaceholders,
    pool: { min: 1, max: config.DATABASE_POOL, idleTimeoutMillis: 30_000 },
    driverOptions: {
      // Shorter than the caller's deadline, so that the caller gets an answer.
      connectionTimeoutMillis: 3_000,
      ...sessionOptions(),
      // Sends without waiting for the answer to what was sent before, such as a rollback behind a batch (docs/sql.md).
      pipeline: true,
      application_name: config.NATS_USER,
      onPoolCreated: (pool: { on(event: "connect", act: (client: never) => void): void }) =>
        pool.on("connect", (client) => {
          setTypeParsers(client);
          prepareOnce(client);
        }),
    },
    logger: (message: string) => log.warn({ orm: message }, "mikro-orm"),
    allowGlobalContext: true,
    registerRequestContext: false,
  };
}

/** Sends Nest's own log to ours. Its request middleware is off: `logRequests` writes one line per request. */
function nestLogging(log: Logger) {
  return LoggerModule.forRoot({ forRoutes: [], pinoHttp: { logger: log, autoLogging: false } });
}
