import { setTimeout as delay } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { eventTypes as allEventTypes } from "../../../contracts/http/webhooks/webhooks.ts";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { ProcessClock } from "../process-clock.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import { DeliveryAnnouncements } from "../deliveries/delivery-announcements.ts";
import { CurrentEndpoints } from "../deliveries/current-endpoints.ts";
import type { ResolvedEndpoint } from "../deliveries/domain/delivery.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";
import { DeliverySender, toLeasedDelivery } from "../deliveries/send-due-deliveries.worker.ts";
import { claimForReplay } from "../deliveries/store/claim-for-retry.ts";
import { render } from "../events/domain/render.ts";
import { dataOf, occurredAtOf } from "../events/domain/restored-event.ts";
import { newLeasedDelivery } from "../events/planned-delivery.ts";
import { lockAgainstDeletion } from "../events/store/dropped-changes.ts";
import { restoredEvent } from "../events/store/list-events.ts";
import { missedTypes } from "./domain/missed-types.ts";
import { nextDeliveries, nextEvents, type ScannedEvent } from "./store/matching.ts";
import {
  endIfDone,
  insertMissed,
  lockPart,
  type LockedPart,
  movePart,
  type OpenPart,
  openParts,
  type PartProgress,
} from "./store/parts.ts";

const name = "replays";
const intervalMs = 500;
/** How long to wait for slow receivers before their capacity is looked at again. */
const capacityIntervalMs = 20;
const maxPartsPerTick = 200;
const maxPerStep = 100;
const maxEventsScanned = 1_000;
/** After an endpoint could not be read. */
const unreadableForMs = 60_000;
const beforeAllParts: OpenPart = {
  book_id: belowAllUuids,
  replay_id: belowAllUuids,
  endpoint_id: belowAllUuids,
};

/**
 * How one step of a part ended. Waiting: there is more to send once the receiver has capacity. Idle: another instance
 * works on the part, it has ended, or its endpoint was just disabled or can't be read.
 */
type Step = "Progressed" | "Waiting" | "Idle";

/**
 * Works off replays. A step leases some deliveries of one endpoint and moves its cursor in one commit, and then sends
 * them from memory as a retry is sent. After a crash any instance sends what was leased, and goes on at the cursor. New
 * events come first: an endpoint gets replayed deliveries only with capacity that first attempts don't need.
 */
@Injectable()
export class SendReplays extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #current: CurrentEndpoints;
  readonly #sender: DeliverySender;
  readonly #announcements: DeliveryAnnouncements;
  readonly #clock: ProcessClock;
  readonly #maxAttempts: number;
  readonly #failing: FailingBooks;
  /** When to try again to read an endpoint, by `ProcessClock.elapsedMs`. */
  readonly #unreadableUntilMs = new Map<string, number>();
  #afterPart = beforeAllParts;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(EndpointResolver) endpoints: EndpointResolver,
    @Inject(DeliverySender) sender: DeliverySender,
    @Inject(DeliveryAnnouncements) announcements: DeliveryAnnouncements,
    @Inject(ProcessClock) clock: ProcessClock,
    @Inject(CONFIG) config: WebhooksConfig,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    const countFailedTick = failedTicksOf(metrics);
    super(name, intervalMs, () => this.tick(), log, countFailedTick);
    this.#units = units;
    this.#database = database;
    const countFailure = () => countFailedTick(name);
    this.#current = new CurrentEndpoints({ database, endpoints, clock, log, countFailure });
    this.#sender = sender;
    this.#announcements = announcements;
    this.#clock = clock;
    this.#maxAttempts = config.WEBHOOK_MAX_ATTEMPTS;
    this.#failing = new FailingBooks(name, { metrics, log });
  }

  /** One step of each part that is open. Returns how many of them have more to do; 0 to pause. */
  async tick(): Promise<number> {
    const now = this.#clock.now();
    const parts = await openParts(this.#database.sql, this.#afterPart, maxPartsPerTick);
    const steps: (Step | undefined)[] = [];
    for (const part of parts) {
      const book = idOf("book", part.book_id);
      if (this.#failing.isWaiting(book, now)) continue;
      steps.push(await this.#failing.attempt(book, now, () => this.#step(part, now)));
    }
    const last = parts.length === maxPartsPerTick ? parts.at(-1) : undefined;
    this.#afterPart = last ?? beforeAllParts;
    const open = steps.filter((step) => step === "Progressed" || step === "Waiting").length;
    if (open > 0 && !steps.includes("Progressed")) await delay(capacityIntervalMs);
    return open + (last === undefined ? 0 : 1);
  }

  async #step(part: OpenPart, now: Date): Promise<Step> {
    const endpointId = part.endpoint_id;
    const nowMs = this.#clock.elapsedMs();
    if ((this.#unreadableUntilMs.get(endpointId) ?? nowMs) > nowMs) return "Idle";
    const { enabled: endpoint, isBroken } = await this.#current.readOne(endpointId);
    if (isBroken) {
      this.#unreadableUntilMs.set(endpointId, nowMs + unreadableForMs);
      return "Idle";
    }
    this.#unreadableUntilMs.delete(endpointId);
    if (endpoint !== undefined && this.#sender.replayCapacityFor(endpoint, "Retry") === 0) return "Waiting";
    return this.#units.run(async (unit) => {
      const locked = await lockPart(unit.sql, part);
      if (locked === undefined) return "Idle";
      const progress =
        endpoint === undefined
          ? endIfDeleted(locked)
          : locked.deliveries_done
            ? await this.#sendMissed(unit, locked, endpoint, now)
            : await this.#sendAgain(unit, locked, endpoint, now);
      if (progress === undefined) return endpoint === undefined ? "Idle" : "Waiting";
      await movePart(unit.sql, part, progress);
      if (progress.isDone) await endIfDone(unit.sql, part, now);
      unit.afterCommit(() => this.#announcements.add([part.book_id]));
      return "Progressed";
    });
  }

  /** Leases and sends the next deliveries of the part. Returns undefined if the receiver has no capacity. */
  async #sendAgain(
    { sql, afterCommit }: UnitOfWork,
    part: LockedPart,
    endpoint: ResolvedEndpoint,
    now: Date,
  ): Promise<PartProgress | undefined> {
    const limit = Math.min(maxPerStep, this.#sender.replayCapacityFor(endpoint, "Retry"));
    if (limit === 0) return undefined;
    const matching = {
      book: part.book_id,
      eventTypes: part.event_types ?? allEventTypes,
      belowId: part.below_id,
    };
    const { endpoint_id: endpointId, statuses, after_delivery: after } = part;
    const ids = await nextDeliveries(sql, matching, endpointId, statuses, after, limit);
    const lease = this.#sender.newLease();
    const rows = ids.length === 0 ? [] : await claimForReplay(sql, part.book_id, ids, statuses, lease, now);
    const sending = rows.flatMap((row) => toLeasedDelivery(row, lease, endpoint));
    afterCommit(() => this.#sender.send(sending));
    const deliveriesDone = ids.length < limit;
    return {
      afterDelivery: ids.at(-1) ?? after,
      afterEvent: part.after_event,
      deliveriesDone,
      isDone: deliveriesDone && part.after_event === null,
      queued: rows.length,
    };
  }

  /** Makes and sends deliveries of the next events that the endpoint missed. Returns undefined as `#sendAgain` does. */
  async #sendMissed(
    { sql, afterCommit }: UnitOfWork,
    part: LockedPart,
    endpoint: ResolvedEndpoint,
    now: Date,
  ): Promise<PartProgress | undefined> {
    const limit = Math.min(maxPerStep, this.#sender.replayCapacityFor(endpoint, "First"));
    if (limit === 0) return undefined;
    const matching = {
      book: part.book_id,
      eventTypes: missedTypes(part.event_types, part.endpoint_types),
      belowId: part.below_id,
    };
    const after = part.after_event ?? part.below_id;
    // If an event were deleted before this commits, nobody could send its delivery.
    await lockAgainstDeletion(sql, part.book_id);
    const scanned = await nextEvents(sql, matching, part.endpoint_id, after, maxEventsScanned);
    const missed = scanned.filter(({ is_missed }) => is_missed).slice(0, limit);
    const isFull = missed.length === limit;
    const lease = this.#sender.newLease();
    const attemptsAllowed = endpoint.maxAttempts ?? this.#maxAttempts;
    const made =
      missed.length === 0
        ? []
        : await insertMissed(
            sql,
            part,
            endpoint.apiVersion,
            attemptsAllowed,
            missed.map((event) => ({
              id: newUuid(),
              eventId: event.id,
              eventType: event.type,
              body: bodyOf(event, endpoint),
            })),
            lease,
            now,
          );
    const sending = made.map(({ id, event_id: eventId, body }) =>
      newLeasedDelivery({ id, eventId, endpoint, body, attemptsAllowed }, lease),
    );
    afterCommit(() => this.#sender.send(sending));
    return {
      afterDelivery: part.after_delivery,
      afterEvent: (isFull ? missed : scanned).at(-1)?.id ?? after,
      deliveriesDone: true,
      isDone: !isFull && scanned.length < maxEventsScanned,
      queued: made.length,
    };
  }
}

/** The end of a part whose endpoint was deleted. Undefined for one that was disabled: the part waits for it. */
function endIfDeleted(part: LockedPart): PartProgress | undefined {
  if (!part.is_endpoint_deleted) return undefined;
  const { after_delivery: afterDelivery, after_event: afterEvent } = part;
  return { afterDelivery, afterEvent, deliveriesDone: true, isDone: true, queued: 0 };
}

/** The bytes of an event that has no rendering of the endpoint's version yet. */
function bodyOf(row: ScannedEvent, { apiVersion }: ResolvedEndpoint): string {
  const event = restoredEvent(row);
  const dataFor = (version: ApiVersion) => dataOf(event, version);
  return render(
    idOf("evt", row.id),
    { type: event.type, occurredAt: occurredAtOf(event), dataFor },
    apiVersion,
  );
}
