import type { Logger } from "pino";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import type { Metrics } from "../../platform/observability/metrics.ts";
import type { LeasedDelivery } from "./domain/delivery.ts";
import {
  afterAttempt,
  afterOwnFault,
  isAcknowledged,
  jitterOf,
  type RetrySchedule,
} from "./domain/retry-schedule.ts";
import type { PostResult } from "./http/post.ts";
import type { AttemptRow } from "./store/record-attempts.ts";

interface Parts {
  readonly schedule: RetrySchedule;
  readonly random: () => number;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Decides what follows each attempt, counts it, and logs those that fail. */
export class AttemptResults {
  readonly #parts: Parts;
  readonly #attempts;
  readonly #ownFaults;
  readonly #seconds;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { metrics } = parts;
    this.#attempts = metrics.counter("webhook_attempts_total", "HTTP requests to receivers", ["outcome"]);
    this.#ownFaults = metrics.counter(
      "webhook_own_failures_total",
      "Webhook requests that failed on our side, which uses up no attempt",
      ["reason"],
    );
    this.#seconds = metrics.histogram("webhook_attempt_seconds", "Until a receiver answered");
  }

  /** The attempt to store, with what follows it. */
  rowOf(delivery: LeasedDelivery, result: PostResult): AttemptRow {
    const { ownFault, errorClass } = result;
    const acknowledged = isAcknowledged(result);
    const next =
      ownFault === null
        ? afterAttempt(acknowledged, delivery, this.#scheduleOf(delivery), result.askedPauseMs)
        : afterOwnFault(delivery);
    this.#count(delivery, result, next.status);
    const endedAtMs = result.startedAt.getTime() + result.durationMs;
    const pauseMs = next.retryAfterMs;
    return {
      id: newUuid(),
      deliveryId: delivery.id,
      book: delivery.endpoint.book,
      leaseId: delivery.lease.id,
      at: result.startedAt,
      durationMs: result.durationMs,
      responseStatus: result.responseStatus,
      responseBody: result.responseBody,
      error: result.error,
      errorClass,
      timings: result.timings,
      acknowledged,
      status: next.status,
      nextAttemptAt: pauseMs === null ? null : new Date(endedAtMs + pauseMs),
      jitterMs: pauseMs === null || ownFault !== null ? 0 : jitterOf(pauseMs, this.#parts.random),
      endpointToDisable: delivery.endpoint.countsFailingDays ? delivery.endpoint.endpointId : null,
    };
  }

  /** The service's schedule, with the endpoint's own pauses if it has some. */
  #scheduleOf({ endpoint: { backoffMs } }: LeasedDelivery): RetrySchedule {
    const { schedule } = this.#parts;
    return backoffMs === null ? schedule : { ...schedule, backoffMs };
  }

  #count(delivery: LeasedDelivery, result: PostResult, status: AttemptRow["status"]): void {
    const { ownFault, errorClass, responseStatus, error, durationMs } = result;
    const deliveryId = idOf("wh", delivery.id);
    const endpointId = idOf("we", delivery.endpoint.endpointId);
    if (ownFault !== null) {
      this.#ownFaults.inc({ reason: ownFault.reason });
      const { reason, cause } = ownFault;
      this.#parts.log.warn({ deliveryId, endpointId, reason, err: cause }, "a webhook failed on our side");
      return;
    }
    this.#attempts.inc({ outcome: isAcknowledged(result) ? "acknowledged" : "failed" });
    this.#seconds.observe(durationMs / 1000);
    if (errorClass === null) return;
    const attempt = delivery.attemptCount + 1;
    this.#parts.log.info(
      { deliveryId, endpointId, attempt, responseStatus, errorClass, error, durationMs, status },
      "a webhook attempt failed",
    );
  }
}
