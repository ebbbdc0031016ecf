import type { Logger } from "pino";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import type { Metrics } from "../../platform/observability/metrics.ts";
import type { Database } from "../../platform/persistence/database.ts";
import type { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { ProcessClock } from "../process-clock.ts";
import {
  type Lane,
  laneOf,
  type LeasedDelivery,
  type Lease,
  type ResolvedEndpoint,
} from "./domain/delivery.ts";
import type { RetrySchedule } from "./domain/retry-schedule.ts";
import { signatureHeaders } from "../endpoints/domain/signature.ts";
import { post } from "./http/post.ts";
import type { EndpointQueue, Sending } from "./http/endpoint-queue.ts";
import type { EndpointQueues } from "./http/endpoint-queues.ts";
import { OpenLeases } from "./open-leases.ts";
import { cancelOfDeleted } from "./store/cancel-deliveries.ts";
import { type ClaimedRow, releaseLeases } from "./store/deliveries.ts";
import type { AttemptRow } from "./store/record-attempts.ts";
import type { DeliveryAnnouncements } from "./delivery-announcements.ts";
import { attemptRecords } from "./attempt-records.ts";
import { AttemptResults } from "./attempt-results.ts";
import { ClaimDeliveries } from "./claim-deliveries.ts";
import { CurrentEndpoints } from "./current-endpoints.ts";
import type { EndpointResolver } from "./endpoint-resolver.ts";

export interface SenderOptions {
  readonly units: UnitOfWorkRunner;
  readonly database: Database;
  readonly endpoints: EndpointResolver;
  readonly queues: EndpointQueues;
  readonly clock: ProcessClock;
  readonly schedule: RetrySchedule;
  /** From 0 to below 1: the jitter of pauses. */
  readonly random: () => number;
  readonly timeoutMs: number;
  readonly leaseMs: number;
  readonly announcements: DeliveryAnnouncements;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const claimIntervalMs = 500;
const name = "due-deliveries";

/**
 * Sends deliveries. A new delivery is sent from memory right after the commit that created it (`send`). Retries, and
 * deliveries that a crashed instance had leased, are claimed from the table (`claimDueDeliveries`). A crash between
 * sending and recording leads to a second request when the lease ends: delivery is at least once.
 */
export class DeliverySender extends PollingWorker {
  readonly #options: SenderOptions;
  readonly #records: MicroBatch<AttemptRow, null>;
  readonly #due: ClaimDeliveries;
  readonly #countFailedTick: (worker: string) => void;
  readonly #openLeases = new OpenLeases();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #results: AttemptResults;
  readonly #current: CurrentEndpoints;
  /** Queues that wait until their endpoint is read, or until their rate lets the next attempt start. */
  readonly #paused = new Set<EndpointQueue>();
  #moreDue = false;
  #stopping = false;

  constructor(options: SenderOptions) {
    super(
      name,
      claimIntervalMs,
      () => this.claimDueDeliveries(),
      options.log,
      failedTicksOf(options.metrics),
    );
    const { units, database, queues, metrics, log } = options;
    this.#options = options;
    this.#countFailedTick = failedTicksOf(metrics);
    this.#records = attemptRecords(options.database, options.announcements);
    const capacities = () => queues.capacities();
    this.#due = new ClaimDeliveries(name, {
      units,
      database,
      metrics,
      log,
      capacities,
      newLease: () => this.newLease(),
      takeRecorded: (now) => this.#openLeases.takeRecorded(now),
    });
    this.#results = new AttemptResults(options);
    this.#current = new CurrentEndpoints({ ...options, countFailure: () => this.#countFailedTick(name) });
  }

  /** Waits for the requests in flight, and releases the leases of unsent deliveries. */
  override async onModuleDestroy(): Promise<void> {
    this.#stopping = true;
    await super.onModuleDestroy();
    const unsent = this.#options.queues.all().flatMap((queue) => queue.drain());
    const { database, clock } = this.#options;
    await this.saveBeforeEnd(
      () => releaseLeases(database.sql, unsent, clock.now()),
      () => unsent.map(({ id }) => id),
    );
    await this.whenIdle();
    await this.#options.queues.close();
  }

  /** Resolves when no request is in flight and every attempt is recorded. */
  async whenIdle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** A lease that starts now, for deliveries that this instance is about to send. */
  newLease(): Lease {
    return { id: newUuid(), endsAt: new Date(this.#options.clock.now().getTime() + this.#options.leaseMs) };
  }

  /** How many more new deliveries to this endpoint the instance should lease; 0 during shutdown. */
  capacityFor(endpoint: ResolvedEndpoint): number {
    return this.#stopping ? 0 : this.#options.queues.of(endpoint).capacityOf("First");
  }

  /** How many more deliveries of a replay the instance should lease; 0 while new ones wait, and during shutdown. */
  replayCapacityFor(endpoint: ResolvedEndpoint, lane: Lane): number {
    return this.#stopping ? 0 : this.#options.queues.of(endpoint).replayCapacityOf(lane);
  }

  /** Sends deliveries that were just committed with their lease. All that have one lease must come together. */
  sendNew(deliveries: readonly LeasedDelivery[]): void {
    this.#openLeases.add(deliveries);
    this.send(deliveries);
  }

  /** Queues and sends deliveries whose lease is committed. */
  send(deliveries: readonly LeasedDelivery[]): void {
    const queues = new Set<EndpointQueue>();
    for (const delivery of deliveries) {
      const queue = this.#options.queues.of(delivery.endpoint);
      queue.add(delivery);
      queues.add(queue);
    }
    for (const queue of queues) this.#sendNext(queue);
  }

  /** Call it after inserting deliveries without a lease: the worker then claims at once. */
  override wake(): void {
    this.#moreDue = true;
    super.wake();
  }

  /** One tick of the worker: claims due deliveries up to the capacities and sends them. Returns 0 to pause. */
  async claimDueDeliveries(): Promise<number> {
    const { claimed, startsOver } = await this.#due.claim(this.#options.clock.now());
    this.#moreDue = claimed.length > 0;
    const { enabled, broken } = await this.#current.read(claimed.map(({ row }) => row.endpoint_id));
    this.send(
      claimed.flatMap(({ row, lease }) => toLeasedDelivery(row, lease, enabled.get(row.endpoint_id))),
    );
    // Those of a broken endpoint stay leased, and are due again when the lease ends.
    const unsent = claimed.filter(({ row }) => !enabled.has(row.endpoint_id) && !broken.has(row.endpoint_id));
    await this.#endOrRelease(unsent.map(({ row, lease }) => ({ id: row.id, lease })));
    return claimed.length + (startsOver ? 1 : 0);
  }

  /** What can't be sent: it ends if its endpoint was deleted, and rests if that was just disabled. */
  async #endOrRelease(unsent: readonly { readonly id: string; readonly lease: Lease }[]): Promise<void> {
    const { database, clock } = this.#options;
    for (const [lease, own] of Map.groupBy(unsent, (one) => one.lease)) {
      const ids = own.map(({ id }) => id);
      await cancelOfDeleted(database.sql, ids, lease.id);
      await releaseLeases(database.sql, own, clock.now());
    }
  }

  /** What was read of the endpoint just now is used, however long the reading took. */
  #sendNext(queue: EndpointQueue, isJustRead = false): void {
    const { clock, timeoutMs } = this.#options;
    while (!this.#stopping && queue.isReady && !this.#paused.has(queue)) {
      const waitMs = queue.startsInMs;
      if (waitMs > 0) {
        this.#paused.add(queue);
        clock.after(waitMs, () => this.#resume(queue));
      } else if (!isJustRead && queue.isStale) {
        this.#paused.add(queue);
        this.#track(this.#readAgain(queue));
      } else {
        const sending = queue.next(clock.now(), timeoutMs);
        if (sending !== undefined) this.#track(this.#deliver(queue, sending));
      }
    }
  }

  #resume(queue: EndpointQueue): void {
    this.#paused.delete(queue);
    this.#sendNext(queue);
  }

  /** Whatever has changed of the endpoint since its deliveries were queued applies to the next attempt. */
  async #readAgain(queue: EndpointQueue): Promise<void> {
    let isRead = false;
    try {
      const { enabled, isBroken } = await this.#current.readOne(queue.endpointId);
      isRead = enabled !== undefined;
      if (enabled !== undefined) queue.update(enabled);
      else {
        // Those of an endpoint that can't be read stay leased, and are due again when the lease ends.
        const unsent = queue.drain();
        if (!isBroken) await this.#endOrRelease(unsent);
      }
    } catch (error) {
      // Postgres is away, and could not record an attempt either. They are due again when their lease ends.
      queue.drain();
      this.#countFailedTick(name);
      this.#options.log.error({ err: error }, "an endpoint was not read; its deliveries wait");
    }
    this.#paused.delete(queue);
    this.#sendNext(queue, isRead);
  }

  #track(work: Promise<void>): void {
    const done: Promise<void> = work.finally(() => this.#inFlight.delete(done));
    this.#inFlight.add(done);
  }

  async #deliver(queue: EndpointQueue, sending: Sending): Promise<void> {
    const { clock, timeoutMs, log } = this.#options;
    const { delivery, connection } = sending;
    const result = await post(connection, toRequest(sending, clock.now()), clock, timeoutMs);
    queue.markSent(sending, result.durationMs);
    this.#sendNext(queue);
    const row = this.#results.rowOf(delivery, result);
    try {
      await this.#records.add(row);
      this.#openLeases.recorded(delivery);
    } catch (error) {
      // The delivery stays leased. When the lease ends an instance sends it again: at least once.
      this.#countFailedTick("record-attempts");
      log.error(
        {
          err: error,
          deliveryId: idOf("wh", delivery.id),
          endpointId: idOf("we", delivery.endpoint.endpointId),
        },
        "a webhook attempt was not recorded",
      );
    }
    queue.markRecorded(delivery);
    if (this.#moreDue && queue.capacityOf(laneOf(delivery)) > 0) this.wake();
  }
}

function toRequest({ delivery, path }: Sending, sentAt: Date) {
  const { endpoint, eventId, newestSecretOnly } = delivery;
  const bytes = Buffer.from(delivery.body, "utf8");
  const secrets = newestSecretOnly ? endpoint.secrets.slice(0, 1) : endpoint.secrets;
  return {
    path,
    body: bytes,
    headers: {
      "content-type": "application/json",
      "user-agent": "Quittance-Webhooks/1",
      ...signatureHeaders(secrets, eventId, sentAt, bytes),
    },
  };
}

/** A claimed row, ready to send; empty if the endpoint is disabled or deleted. */
export function toLeasedDelivery(
  row: ClaimedRow,
  lease: Lease,
  endpoint: ResolvedEndpoint | undefined,
): LeasedDelivery[] {
  if (endpoint === undefined) return [];
  return [
    {
      id: row.id,
      eventId: idOf("evt", row.event_id),
      body: row.body,
      attemptCount: row.attempt_count,
      attemptsAllowed: row.attempts_allowed,
      acknowledgedBefore: row.acknowledged_before,
      newestSecretOnly: row.newest_secret_only,
      lease,
      endpoint,
    },
  ];
}
