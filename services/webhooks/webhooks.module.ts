import { type DynamicModule, type FactoryProvider, Module } from "@nestjs/common";
import type { Logger } from "pino";
import { UnitOfWorkRunner } from "../platform/handlers/unit-of-work.ts";
import { Metrics } from "../platform/observability/metrics.ts";
import { Database } from "../platform/persistence/database.ts";
import { LOG, PlatformModule } from "../platform/platform.module.ts";
import { ProcessClock, SystemClock } from "./process-clock.ts";
import {
  ApplyClockToWebhooks,
  BookClockNotified,
  ReportWebhooksProgress,
} from "../../contracts/messages/clocks.ts";
import { bookClockConsumer } from "../platform/clock/book-clock.consumer.ts";
import { bookClockHandler } from "../platform/clock/book-clock.handler.ts";
import { ClockFollower } from "../platform/clock/clock-follower.ts";
import { FollowClock } from "./clock/follow-clock.ts";
import { CONFIG, type WebhooksConfig } from "./config.ts";
import { DeliveryAnnouncements } from "./deliveries/delivery-announcements.ts";
import { DeleteEndpoint } from "./deliveries/delete-endpoint.handler.ts";
import { CreateEndpoint } from "./endpoints/create-endpoint.handler.ts";
import { RotateSecret } from "./endpoints/rotate-secret.handler.ts";
import { UpdateEndpoint } from "./endpoints/update-endpoint.handler.ts";
import { DisableFailing } from "./disabling/disable-failing.worker.ts";
import { EventFanOut } from "./events/event-fan-out.ts";
import { FanOutEvent } from "./events/fan-out-event.consumer.ts";
import { TestEndpoint } from "./events/test-endpoint.handler.ts";
import { ManageReplays } from "./replay/manage-replays.handler.ts";
import { SendReplays } from "./replay/send-replays.worker.ts";
import { QueryEvents } from "./events/query-events.handler.ts";
import { QueryDeliveries } from "./deliveries/query-deliveries.handler.ts";
import { QueryEndpoints } from "./endpoints/query-endpoints.handler.ts";
import { guardedConnector } from "./deliveries/http/guarded-connector.ts";
import { NetworkProbes } from "./deliveries/http/own-faults.ts";
import { EndpointQueues } from "./deliveries/http/endpoint-queues.ts";
import { DeleteExpired } from "./retention/delete-expired.worker.ts";
import { ReceiveInSink } from "./sinks/receive-in-sink.controller.ts";
import { RetryDeliveryHandler } from "./deliveries/retry-delivery.handler.ts";
import { DeliverySender } from "./deliveries/send-due-deliveries.worker.ts";
import { EndpointResolver } from "./deliveries/endpoint-resolver.ts";
import { CheckDeliveryCounts } from "./delivery-counts/check-delivery-counts.worker.ts";
import { FoldDeltas } from "./delivery-counts/fold-deltas.worker.ts";
import { GetWebhookStatementHandler } from "./delivery-counts/get-statement.handler.ts";
import { DiagnoseWebhookHandler } from "./diagnosis/diagnose-webhook.handler.ts";
import { ManageTestSinks } from "./sinks/manage-test-sinks.handler.ts";
import { QueryTestSinks } from "./sinks/query-test-sinks.handler.ts";
import { ScriptedAnswers } from "./sinks/scripted-answers.ts";
import { SinkWatch } from "./sinks/sink-watch.ts";

/** Turns messages into public events, and delivers them signed. */
@Module({})
export class WebhooksModule {
  static with(config: WebhooksConfig): DynamicModule {
    return {
      module: WebhooksModule,
      imports: [PlatformModule.forService({ service: "webhooks", config })],
      controllers: [
        FanOutEvent,
        CreateEndpoint,
        UpdateEndpoint,
        DeleteEndpoint,
        RotateSecret,
        TestEndpoint,
        QueryEndpoints,
        QueryDeliveries,
        QueryEvents,
        ManageReplays,
        RetryDeliveryHandler,
        DiagnoseWebhookHandler,
        GetWebhookStatementHandler,
        ManageTestSinks,
        QueryTestSinks,
        ReceiveInSink,
        bookClockConsumer(BookClockNotified),
        bookClockHandler(ApplyClockToWebhooks, ReportWebhooksProgress),
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: ClockFollower, useClass: FollowClock },
        { provide: ProcessClock, useClass: SystemClock },
        EndpointResolver,
        DeliveryAnnouncements,
        EventFanOut,
        DisableFailing,
        SendReplays,
        FoldDeltas,
        CheckDeliveryCounts,
        ScriptedAnswers,
        SinkWatch,
        DeleteExpired,
        deliverySender(config),
      ],
    };
  }
}

/** The sender with its queues, as the operator has set it. */
function deliverySender(config: WebhooksConfig): FactoryProvider<DeliverySender> {
  return {
    provide: DeliverySender,
    useFactory: (
      units: UnitOfWorkRunner,
      database: Database,
      endpoints: EndpointResolver,
      clock: ProcessClock,
      announcements: DeliveryAnnouncements,
      metrics: Metrics,
      log: Logger,
    ) =>
      new DeliverySender({
        units,
        database,
        endpoints,
        clock,
        announcements,
        metrics,
        log,
        queues: new EndpointQueues({
          connector: guardedConnector(config.ALLOWED_TARGET_CIDRS, { probes: new NetworkProbes() }),
          concurrency: config.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
          clock,
        }),
        schedule: { maxAttempts: config.WEBHOOK_MAX_ATTEMPTS, backoffMs: config.WEBHOOK_BACKOFF_MS },
        random: Math.random,
        timeoutMs: config.WEBHOOK_TIMEOUT_MS,
        leaseMs: config.WEBHOOK_LEASE_MS,
      }),
    inject: [UnitOfWorkRunner, Database, EndpointResolver, ProcessClock, DeliveryAnnouncements, Metrics, LOG],
  };
}
