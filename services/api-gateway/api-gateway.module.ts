import { type DynamicModule, Module, type Provider } from "@nestjs/common";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import { UnitOfWorkRunner } from "../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../platform/observability/failed-ticks.ts";
import { Metrics } from "../platform/observability/metrics.ts";
import { Database } from "../platform/persistence/database.ts";
import { LOG, NATS, PlatformModule } from "../platform/platform.module.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "./config.ts";
import { KeyUsage, SessionUsage } from "./auth/key-usage.worker.ts";
import { KeyCache, SessionCache } from "./auth/key-cache.ts";
import { OpenApiDocument } from "./document/openapi.ts";
import { ServiceClient } from "./upstream/service-client.ts";
import { GatewayWrites } from "./upstream/gateway-writes.ts";
import { ConcurrencyLimit } from "../platform/rpc/concurrency-limit.ts";
import { RateLimits } from "./auth/rate-limit.ts";
import { OrderWaiter } from "./upstream/wait-for-order.ts";
import { Revocations } from "./auth/revocations.ts";
import { saveInParts } from "../platform/save-in-parts.ts";
import { VersionCounts } from "./auth/version-counts.worker.ts";
import { ApiKeyProposalsController } from "./keys/api-key-proposals.controller.ts";
import { SendApprovalRights } from "./keys/send-approval-rights.ts";
import { PublishApprovalRights } from "./keys/publish-approval-rights.worker.ts";
import { ApiKeysController } from "./keys/api-keys.controller.ts";
import { InboxController } from "./inbox/inbox.controller.ts";
import { ApprovalPolicyController } from "./routes/payments/approval-policy.controller.ts";
import { BalancesController } from "./routes/ledger/balances.controller.ts";
import { DigestController } from "./routes/sandbox/digest.controller.ts";
import { ClockController } from "./routes/sandbox/clock.controller.ts";
import { SimulatedRailsController } from "./routes/sandbox/simulated-rails.controller.ts";
import { InjectionsController } from "./routes/sandbox/injections.controller.ts";
import { BankStatementFaultsController } from "./routes/sandbox/bank-statement-faults.controller.ts";
import { ProposedChangesController } from "./routes/payments/proposed-changes.controller.ts";
import { CounterpartiesController } from "./routes/payments/counterparties.controller.ts";
import { DocsController } from "./document/docs.controller.ts";
import { InboundPaymentsController } from "./routes/ledger/inbound-payments.controller.ts";
import { AccountHistoryController } from "./routes/ledger/account-history.controller.ts";
import { LedgerAccountsController } from "./routes/ledger/ledger-accounts.controller.ts";
import { ObligationsController } from "./routes/ledger/obligations.controller.ts";
import { LedgerTransactionsController } from "./routes/ledger/ledger-transactions.controller.ts";
import { OpenApiController } from "./document/openapi.controller.ts";
import { LedgerProofController } from "./routes/ledger/ledger-proof.controller.ts";
import { SearchController } from "./search/search.controller.ts";
import { TimelineController } from "./routes/payments/timeline.controller.ts";
import { PaymentOrdersController } from "./routes/payments/payment-orders.controller.ts";
import { ReconciliationsController } from "./routes/ledger/reconciliations.controller.ts";
import { SimulationsController } from "./routes/sandbox/simulations.controller.ts";
import { TestSinksController } from "./routes/sandbox/test-sinks.controller.ts";
import { VirtualAccountsController } from "./routes/ledger/virtual-accounts.controller.ts";
import { EventsController, EventTypesController } from "./routes/webhooks/events.controller.ts";
import { WebhookEndpointsController } from "./routes/webhooks/webhook-endpoints.controller.ts";
import { ReplaysController } from "./routes/webhooks/replays.controller.ts";
import { WebhooksController } from "./routes/webhooks/webhooks.controller.ts";
import { PeopleController } from "./people/people.controller.ts";
import { MeController } from "./people/me.controller.ts";
import { SignInController } from "./people/sign-in.controller.ts";
import { LiveEvents } from "./live/live-events.ts";
import { OpenStreams } from "./live/open-streams.ts";
import { StreamController } from "./live/stream.controller.ts";
import { OidcController } from "./oidc/oidc.controller.ts";
import { PasskeysController } from "./passkeys/passkeys.controller.ts";
import { StepUpController } from "./passkeys/step-up.controller.ts";
import { ConfirmedOperations } from "./passkeys/confirm-operation.ts";
import { PasswordSignIn } from "./people/sign-in.ts";
import { findKeyByHash, updateKeysLastUsed } from "./auth/store/known-keys.ts";
import { findSessionByHash, updateSessionsLastUsed } from "./auth/store/known-sessions.ts";
import { addVersionUse } from "./auth/store/version-use.ts";
import { DeleteOldRequests } from "./refused-requests/delete-old-requests.worker.ts";
import { RefusedRequests } from "./refused-requests/refused-requests.worker.ts";
import { RequestsController } from "./refused-requests/requests.controller.ts";
import { insertRefusedRequests } from "./refused-requests/store/refused-requests.ts";
import { controllersOf } from "./versions/versions.ts";

/** The controllers of version 1; the other versions extend the same classes (versions/versions.ts). */
const v1Controllers = [
  PaymentOrdersController,
  TimelineController,
  SearchController,
  InboxController,
  ApprovalPolicyController,
  CounterpartiesController,
  ProposedChangesController,
  LedgerAccountsController,
  AccountHistoryController,
  LedgerTransactionsController,
  BalancesController,
  LedgerProofController,
  ReconciliationsController,
  VirtualAccountsController,
  InboundPaymentsController,
  ObligationsController,
  WebhookEndpointsController,
  ReplaysController,
  WebhooksController,
  EventsController,
  EventTypesController,
  TestSinksController,
  ClockController,
  DigestController,
  SimulationsController,
  BankStatementFaultsController,
  InjectionsController,
  SimulatedRailsController,
  ApiKeysController,
  ApiKeyProposalsController,
  RequestsController,
  MeController,
  PeopleController,
  OpenApiController,
];

/** The only service that tenants reach. It authenticates, validates and forwards requests, and moves no money. */
@Module({})
export class ApiGatewayModule {
  static with(config: GatewayConfig): DynamicModule {
    return {
      module: ApiGatewayModule,
      imports: [PlatformModule.forService({ service: "gateway", config })],
      controllers: [
        ...config.API_VERSIONS.flatMap((version) => controllersOf(version, v1Controllers)),
        DocsController,
        SignInController,
        PasskeysController,
        StreamController,
        OidcController,
        StepUpController,
      ],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        ServiceClient,
        GatewayWrites,
        OrderWaiter,
        SendApprovalRights,
        OpenApiDocument,
        PasswordSignIn,
        ConfirmedOperations,
        {
          provide: KeyCache,
          useFactory: (database: Database) => new KeyCache((hash) => findKeyByHash(database.sql, hash)),
          inject: [Database],
        },
        {
          provide: SessionCache,
          useFactory: (database: Database) =>
            new SessionCache((hash) => findSessionByHash(database.sql, hash)),
          inject: [Database],
        },
        {
          provide: PublishApprovalRights,
          useFactory: (database: Database, units: UnitOfWorkRunner, metrics: Metrics, log: Logger) =>
            new PublishApprovalRights(database, units, metrics, log),
          inject: [Database, UnitOfWorkRunner, Metrics, LOG],
        },
        ...usageProviders(),
        {
          provide: RateLimits,
          useValue: new RateLimits({
            perSecond: config.RATE_LIMIT_PER_SECOND,
            burst: config.RATE_LIMIT_BURST,
            failedKeysPerMinute: config.FAILED_KEYS_PER_MINUTE,
          }),
        },
        {
          provide: ConcurrencyLimit,
          useValue: new ConcurrencyLimit(config.REQUESTS_UNDER_WAY),
        },
        ...liveProviders(),
      ],
    };
  }
}

/** What counts the use of keys and versions and remembers refused requests, and saves both every few seconds. */
function usageProviders(): Provider[] {
  return [
    {
      provide: KeyUsage,
      useFactory: (database: Database, metrics: Metrics, log: Logger) =>
        new KeyUsage((uses) => saveInParts(database, uses, updateKeysLastUsed), log, failedTicksOf(metrics)),
      inject: [Database, Metrics, LOG],
    },
    {
      provide: SessionUsage,
      useFactory: (database: Database, metrics: Metrics, log: Logger) =>
        new SessionUsage(
          (uses) => saveInParts(database, uses, updateSessionsLastUsed),
          log,
          failedTicksOf(metrics),
        ),
      inject: [Database, Metrics, LOG],
    },
    {
      provide: VersionCounts,
      useFactory: (database: Database, metrics: Metrics, log: Logger) =>
        new VersionCounts((uses) => saveInParts(database, uses, addVersionUse), log, failedTicksOf(metrics)),
      inject: [Database, Metrics, LOG],
    },
    {
      provide: RefusedRequests,
      useFactory: (database: Database, metrics: Metrics, log: Logger) =>
        new RefusedRequests(
          (refused) => insertRefusedRequests(database.sql, refused),
          log,
          failedTicksOf(metrics),
        ),
      inject: [Database, Metrics, LOG],
    },
    {
      provide: DeleteOldRequests,
      useFactory: (database: Database, metrics: Metrics, log: Logger) =>
        new DeleteOldRequests(database, log, failedTicksOf(metrics)),
      inject: [Database, Metrics, LOG],
    },
  ];
}

/** What follows the events of other instances and services: ended sessions, and changes for open screens. */
function liveProviders(): Provider[] {
  return [
    {
      provide: Revocations,
      useFactory: (nats: NatsConnection, keys: KeyCache, sessions: SessionCache, streams: OpenStreams) =>
        new Revocations(nats, keys, sessions, () => void streams.closeStreamsOfEndedSessions()),
      inject: [NATS, KeyCache, SessionCache, OpenStreams],
    },
    {
      provide: LiveEvents,
      useFactory: (nats: NatsConnection) => new LiveEvents(nats),
      inject: [NATS],
    },
    {
      provide: OpenStreams,
      useFactory: (live: LiveEvents) => new OpenStreams(live),
      inject: [LiveEvents],
    },
  ];
}
