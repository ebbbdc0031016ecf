import { type DynamicModule, Module } from "@nestjs/common";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import { Database } from "../platform/persistence/database.ts";
import { LOG, NATS, PlatformModule } from "../platform/platform.module.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "./config.ts";
import { KeyUsage } from "./edge/key-usage.ts";
import { KnownKeys } from "./edge/known-keys.ts";
import { OpenApiDocument } from "./edge/openapi.ts";
import { Owners } from "./edge/owners.ts";
import { OwnWrites } from "./edge/own-writes.ts";
import { RateLimits } from "./edge/rate-limit.ts";
import { RestingOrders } from "./edge/resting-orders.ts";
import { Revocations } from "./edge/revocations.ts";
import { VersionCounts } from "./edge/version-counts.ts";
import { ApiKeyProposalsController } from "./routes/api-key-proposals.controller.ts";
import { ApiKeysController } from "./routes/api-keys.controller.ts";
import { ApprovalPolicyController } from "./routes/approval-policy.controller.ts";
import { BalancesController } from "./routes/balances.controller.ts";
import { BankStatementFaultsController } from "./routes/bank-statement-faults.controller.ts";
import { CounterpartiesController } from "./routes/counterparties.controller.ts";
import { DocsController } from "./routes/docs.controller.ts";
import { InboundPaymentsController } from "./routes/inbound-payments.controller.ts";
import { LedgerAccountsController } from "./routes/ledger-accounts.controller.ts";
import { ObligationsController } from "./routes/obligations.controller.ts";
import { LedgerTransactionsController } from "./routes/ledger-transactions.controller.ts";
import { OpenApiController } from "./routes/openapi.controller.ts";
import { LedgerProofController } from "./routes/ledger-proof.controller.ts";
import { PaymentOrdersController } from "./routes/payment-orders.controller.ts";
import { ReconciliationsController } from "./routes/reconciliations.controller.ts";
import { SimulationsController } from "./routes/simulations.controller.ts";
import { TestSinksController } from "./routes/test-sinks.controller.ts";
import { VirtualAccountsController } from "./routes/virtual-accounts.controller.ts";
import { WebhookEndpointsController } from "./routes/webhook-endpoints.controller.ts";
import { WebhooksController } from "./routes/webhooks.controller.ts";
import { findKeyByHash, noteKeysUsed } from "./store/api-keys.ts";
import { addVersionUse } from "./store/version-use.ts";
import { controllersOf } from "./versions/versions.ts";

/** What version 1 is made of; the other versions stand on the same classes (versions/versions.ts). */
const ofV1 = [
  PaymentOrdersController,
  ApprovalPolicyController,
  CounterpartiesController,
  LedgerAccountsController,
  LedgerTransactionsController,
  BalancesController,
  LedgerProofController,
  ReconciliationsController,
  VirtualAccountsController,
  InboundPaymentsController,
  ObligationsController,
  WebhookEndpointsController,
  WebhooksController,
  TestSinksController,
  SimulationsController,
  BankStatementFaultsController,
  ApiKeysController,
  ApiKeyProposalsController,
  OpenApiController,
];

/** The service's only door for tenants. It authenticates, validates, asks the owner, and decides nothing. */
@Module({})
export class ApiGatewayModule {
  static with(config: GatewayConfig): DynamicModule {
    return {
      module: ApiGatewayModule,
      imports: [PlatformModule.forService({ service: "gateway", config })],
      controllers: [
        ...config.API_VERSIONS.flatMap((version) => controllersOf(version, ofV1)),
        DocsController,
      ],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        Owners,
        OwnWrites,
        RestingOrders,
        OpenApiDocument,
        {
          provide: KnownKeys,
          useFactory: (database: Database) => new KnownKeys((hash) => findKeyByHash(database.sql, hash)),
          inject: [Database],
        },
        {
          provide: KeyUsage,
          useFactory: (database: Database, log: Logger) =>
            new KeyUsage((uses) => noteKeysUsed(database.sql, uses), log),
          inject: [Database, LOG],
        },
        {
          provide: VersionCounts,
          useFactory: (database: Database, log: Logger) =>
            new VersionCounts((uses) => addVersionUse(database.sql, uses), log),
          inject: [Database, LOG],
        },
        {
          provide: RateLimits,
          useValue: new RateLimits({
            perSecond: config.RATE_LIMIT_PER_SECOND,
            burst: config.RATE_LIMIT_BURST,
            failedKeysPerMinute: config.FAILED_KEYS_PER_MINUTE,
          }),
        },
        {
          provide: Revocations,
          useFactory: (nats: NatsConnection, keys: KnownKeys) => new Revocations(nats, keys),
          inject: [NATS, KnownKeys],
        },
      ],
    };
  }
}
