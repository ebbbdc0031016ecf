import type { Logger } from "pino";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import type { Metrics } from "../../platform/observability/metrics.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { MicroBatch } from "../../platform/persistence/micro-batch.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { Clock } from "../clock.ts";
import type { LeasedDelivery, Lease, Receiver } from "./domain/delivery.ts";
import { afterAttempt, type RetrySchedule } from "./domain/retry-schedule.ts";
import { signatureHeaders } from "../endpoints/domain/signature.ts";
import { isAcknowledged } from "./domain/acknowledgement.ts";
import { type Posted, post } from "./http/post.ts";
import type { ReceiverLane } from "./http/endpoint-queue.ts";
import type { ReceiverLanes } from "./http/endpoint-queues.ts";
import { type AttemptRow, type ClaimedRow, claimDue, giveBack, recordAttempts } from "./store/deliveries.ts";
import type { Receivers } from "./endpoint-resolver.ts";

export interface SenderParts {
  readonly database: Database;
  readonly receivers: Receivers;
  readonly lanes: ReceiverLanes;
  readonly clock: Clock;
  readonly schedule: RetrySchedule;
  readonly timeoutMs: number;
  readonly leaseMs: number;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const claimIntervalMs = 500;
const mostPerClaim = 1_000;
const mostPerEndpointAndClaim = 200;
const beforeAllEndpoints = "00000000-0000-0000-0000-000000000000";
const recordBatches = { most: 500, inFlight: 2 };

/**
 * Sends what is due. A fresh delivery comes straight from memory after the commit that created it (`send`); retries,
 * and what a killed instance held, come from the table (`claimDueDeliveries`). A crash between sending and recording
 * means that it is sent again when the lease is over: at least once, never not at all.
 */
export class DeliverySender extends PollingWorker {
  readonly #parts: SenderParts;
  readonly #records: MicroBatch<AttemptRow, null>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #attempts;
  readonly #duration;
  #claimAfter = beforeAllEndpoints;
  #moreWaits = false;
  #stopping = false;

  constructor(parts: SenderParts) {
    super("due-deliveries", claimIntervalMs, () => this.claimDueDeliveries(), parts.log);
    this.#parts = parts;
    this.#records = new MicroBatch(async (rows) => {
      await recordAttempts(parts.database.sql, rows);
      return rows.map(() => null);
    }, recordBatches);
    this.#attempts = parts.metrics.counter("webhook_attempts_total", "HTTP requests to receivers", [
      "outcome",
    ]);
    this.#duration = parts.metrics.histogram("webhook_attempt_seconds", "Until a receiver answered");
  }

  /** Ends what is under way, and gives back what has not been sent. */
  override async onModuleDestroy(): Promise<void> {
    this.#stopping = true;
    await super.onModuleDestroy();
    const unsent = this.#parts.lanes.all().flatMap((lane) => lane.empty());
    await giveBack(
      this.#parts.database.sql,
      unsent.map(({ id }) => id),
      this.#parts.clock.now(),
    );
    await this.settled();
    await this.#parts.lanes.close();
  }

  /** Resolves when nothing is under way: everything taken has been sent and recorded. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** A lease from now on, for deliveries that this instance is about to send. */
  newLease(): Lease {
    return { id: newUuid(), endsAt: new Date(this.#parts.clock.now().getTime() + this.#parts.leaseMs) };
  }

  /** How many deliveries to this receiver would be sent soon. */
  roomFor(receiver: Receiver): number {
    return this.#stopping ? 0 : this.#parts.lanes.of(receiver).room;
  }

  /** Sends deliveries that are committed under a lease of this instance. */
  send(deliveries: readonly LeasedDelivery[]): void {
    const lanes = new Set<ReceiverLane>();
    for (const delivery of deliveries) {
      const lane = this.#parts.lanes.of(delivery.receiver);
      lane.add(delivery);
      lanes.add(lane);
    }
    for (const lane of lanes) this.#pump(lane);
  }

  /** Says that the table holds deliveries which nobody has in hand. */
  override wake(): void {
    this.#moreWaits = true;
    super.wake();
  }

  /** One turn of the loop: takes what is due, as far as there is room. Answers whether to go on at once. */
  async claimDueDeliveries(): Promise<number> {
    const { database, clock, receivers, lanes } = this.#parts;
    const lease = this.newLease();
    const claimed = await claimDue(database.sql, {
      rooms: lanes.rooms(),
      mostPerEndpoint: mostPerEndpointAndClaim,
      most: mostPerClaim,
      afterEndpoint: this.#claimAfter,
      lease,
      now: clock.now(),
    });
    const wentRound = this.#claimAfter !== beforeAllEndpoints && claimed.length < mostPerClaim;
    // Each turn goes on behind the endpoint where the last one ended, so that busy ones don't hide the others.
    this.#claimAfter = claimed.length < mostPerClaim ? beforeAllEndpoints : lastEndpoint(claimed);
    this.#moreWaits = claimed.length > 0;
    const known = await receivers.byId(
      database.sql,
      [...new Set(claimed.map((row) => row.endpoint_id))],
      clock.now(),
    );
    this.send(claimed.flatMap((row) => leased(row, lease, known.get(row.endpoint_id))));
    return claimed.length + (wentRound ? 1 : 0);
  }

  #pump(lane: ReceiverLane): void {
    const { clock, timeoutMs } = this.#parts;
    for (;;) {
      const delivery = this.#stopping ? undefined : lane.take(clock.now(), timeoutMs);
      if (delivery === undefined) return;
      const done: Promise<void> = this.#deliver(lane, delivery).finally(() => this.#underWay.delete(done));
      this.#underWay.add(done);
    }
  }

  async #deliver(lane: ReceiverLane, delivery: LeasedDelivery): Promise<void> {
    const { clock, timeoutMs, log } = this.#parts;
    const posted = await post(lane.pool, requestOf(lane, delivery, clock.now()), clock, timeoutMs);
    lane.sent(posted.durationMs);
    this.#pump(lane);
    const row = this.#judge(delivery, posted);
    try {
      await this.#records.add(row);
    } catch (error) {
      // The row is still leased: whoever takes it when the lease is over sends once more, which is allowed.
      log.warn({ err: error, deliveryId: idOf("wh", delivery.id) }, "an attempt could not be recorded");
    }
    lane.recorded();
    if (this.#moreWaits && lane.room > 0) this.wake();
  }

  #judge(delivery: LeasedDelivery, posted: Posted): AttemptRow {
    const acknowledged = isAcknowledged(posted);
    const next = afterAttempt(acknowledged, delivery, this.#parts.schedule);
    const endedAtMs = posted.startedAt.getTime() + posted.durationMs;
    this.#attempts.inc({ outcome: acknowledged ? "acknowledged" : "failed" });
    this.#duration.observe(posted.durationMs / 1000);
    if (!acknowledged) {
      this.#parts.log.info(
        {
          deliveryId: idOf("wh", delivery.id),
          endpointId: idOf("we", delivery.receiver.endpointId),
          attempt: delivery.attemptCount + 1,
          responseStatus: posted.responseStatus,
          error: posted.error,
          durationMs: posted.durationMs,
          status: next.status,
        },
        "a receiver did not acknowledge",
      );
    }
    return {
      id: newUuid(),
      deliveryId: delivery.id,
      leaseId: delivery.lease.id,
      at: posted.startedAt,
      durationMs: posted.durationMs,
      responseStatus: posted.responseStatus,
      responseBody: posted.responseBody,
      error: posted.error,
      acknowledged,
      status: next.status,
      nextAttemptAt: next.retryAfterMs === null ? null : new Date(endedAtMs + next.retryAfterMs),
    };
  }
}

function requestOf(lane: ReceiverLane, { receiver, eventId, body }: LeasedDelivery, sentAt: Date) {
  const bytes = Buffer.from(body, "utf8");
  return {
    path: lane.path,
    body: bytes,
    headers: {
      "content-type": "application/json",
      "user-agent": "Quittance-Webhooks/1",
      ...signatureHeaders(receiver.secrets, eventId, sentAt, bytes),
    },
  };
}

/** A claimed row as it is sent; nothing for an endpoint that was disabled meanwhile. */
export function leased(row: ClaimedRow, lease: Lease, receiver: Receiver | undefined): LeasedDelivery[] {
  if (receiver === undefined) return [];
  return [
    {
      id: row.id,
      eventId: idOf("evt", row.event_id),
      body: row.body,
      attemptCount: row.attempt_count,
      attemptsAllowed: row.attempts_allowed,
      acknowledgedBefore: row.acknowledged_before,
      lease,
      receiver,
    },
  ];
}

function lastEndpoint(rows: readonly ClaimedRow[]): string {
  return rows.reduce((last, row) => (row.endpoint_id > last ? row.endpoint_id : last), beforeAllEndpoints);
}
