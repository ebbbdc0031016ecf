import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { WebhookReplay, WebhookReplayCreate } from "../../../contracts/http/webhooks/replays.ts";
import { eventTypes as allEventTypes } from "../../../contracts/http/webhooks/webhooks.ts";
import { idOf, isId, lowestUuidAt, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  CancelReplay,
  CreateReplay,
  GetReplay,
  ListReplays,
} from "../../../contracts/messages/webhook-replays.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import {
  HandlesRequest,
  type IdempotentReplay,
  type RequestContext,
} from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { ProcessClock } from "../process-clock.ts";
import { missedTypes } from "./domain/missed-types.ts";
import { countDeliveries, countMissed, type Matching, readTargets } from "./store/matching.ts";
import {
  endReplay,
  insertReplay,
  listReplays,
  type NewReplay,
  readReplay,
  runningReplay,
  toReplay,
} from "./store/replays.ts";

const maxMatched = 1_000_000;

/** Creates, lists, reads and cancels replays: stored jobs, which `SendReplays` works off. */
@Controller()
export class ManageReplays {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #clock: ProcessClock;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(ProcessClock) clock: ProcessClock,
  ) {
    this.#units = units;
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Counts what matches, and stores the job unless it is a dry run. Refusals: `not_found` for an endpoint of another
   * book; `invalid_state_transition` if it is Disabled, or if another replay of the book is under way; `invalid_field`
   * if more than a million deliveries match; `idempotency_key_reused`.
   */
  @HandlesRequest(CreateReplay)
  create(
    asked: z.output<typeof CreateReplay.data>,
    context: RequestContext,
  ): Promise<WebhookReplay | IdempotentReplay<WebhookReplay>> {
    const operation = { name: "replay-delivery", resourceId: (made: WebhookReplay) => made.id ?? "none" };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () =>
        this.#countAndStore(unit.sql, uuidOf(context.caller.book), asked),
      ),
    );
  }

  /** Newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListReplays)
  async list(
    query: z.output<typeof ListReplays.data>,
    { caller }: RequestContext,
  ): Promise<Page<WebhookReplay>> {
    const asked = { ...query, list: "replays" };
    const rows = await listReplays(this.#database.sql, uuidOf(caller.book), uuidAfter(asked), query.limit);
    return pageOfRows(rows, query.limit, toReplay, (row) => row.id, asked);
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(GetReplay)
  get({ id }: z.output<typeof GetReplay.data>, { caller }: RequestContext): Promise<WebhookReplay> {
    return getReplay(this.#database.sql, uuidOf(caller.book), id);
  }

  /** What was queued is still sent. Refusals: `not_found`; `invalid_state_transition` if it has ended. */
  @HandlesRequest(CancelReplay)
  cancel(
    { id }: z.output<typeof CancelReplay.data>,
    context: RequestContext,
  ): Promise<WebhookReplay | IdempotentReplay<WebhookReplay>> {
    const operation = { name: "cancel-replay-delivery", resourceId: () => id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const book = uuidOf(context.caller.book);
        const now = this.#clock.now();
        const isCancelled = await endReplay(unit.sql, book, parseReplayId(id), "Cancelled", now);
        const replay = await getReplay(unit.sql, book, id);
        if (isCancelled) return replay;
        throw new Refusal(
          "invalid_state_transition",
          `The replay is ${replay.status}. Only a Running one can be cancelled.`,
          { context: { resourceId: id, currentStatus: replay.status, allowedStatuses: ["Running"] } },
        );
      }),
    );
  }

  async #countAndStore(sql: Sql, book: string, asked: WebhookReplayCreate): Promise<WebhookReplay> {
    const endpoints = await targetsOf(sql, book, asked);
    const now = realTime();
    const { since, until, includeMissed, eventTypes = null } = asked;
    const statuses = asked.status ?? ["Delivered", "DeadLettered"];
    // What is created from now on is sent anyway.
    const endsAt = new Date(Math.min(Date.parse(until), now.getTime()));
    const matching: Matching = {
      book,
      endpoints: endpoints.map(({ id }) => id),
      eventTypes: eventTypes ?? allEventTypes,
      fromId: lowestUuidAt(new Date(since)),
      belowId: lowestUuidAt(endsAt),
    };
    const missed = { ...matching, eventTypes: missedTypes(eventTypes, endpoints[0]?.event_types ?? []) };
    const deliveries = await countDeliveries(sql, matching, statuses, maxMatched + 1);
    const events = includeMissed ? await countMissed(sql, missed, maxMatched) : 0;
    if (events === null) throw tooMany("events were created", "looks for missed events among at most");
    const matched = deliveries + events;
    if (matched > maxMatched) throw tooMany("deliveries match", "takes at most");
    const replay: NewReplay = {
      id: newUuid(),
      book,
      endpointId: asked.endpointId === undefined ? null : uuidOf(asked.endpointId),
      eventTypes,
      statuses,
      since: new Date(since),
      until: new Date(until),
      includeMissed,
      fromId: matching.fromId,
      belowId: matching.belowId,
      matched,
      createdAt: this.#clock.now(),
      endpoints: matched === 0 ? [] : matching.endpoints,
    };
    if (asked.dryRun) return countedOnly(replay);
    if (!(await insertReplay(sql, replay))) throw await anotherIsRunning(sql, book);
    const id = idOf("rpl", replay.id);
    if (matched === 0) await endReplay(sql, book, replay.id, "Done", replay.createdAt);
    return getReplay(sql, book, id);
  }
}

/** The answer to a dry run. */
function countedOnly(replay: NewReplay): WebhookReplay {
  return {
    id: null,
    status: "Counted",
    endpointId: replay.endpointId === null ? null : idOf("we", replay.endpointId),
    eventTypes: replay.eventTypes === null ? null : [...replay.eventTypes],
    statuses: [...replay.statuses] as WebhookReplay["statuses"],
    since: replay.since.toISOString(),
    until: replay.until.toISOString(),
    includeMissed: replay.includeMissed,
    matched: replay.matched,
    queued: 0,
    createdAt: replay.createdAt.toISOString(),
    endedAt: null,
  };
}

/** The endpoints to replay to: the one that is named, or all that are enabled. */
async function targetsOf(sql: Sql, book: string, { endpointId }: WebhookReplayCreate) {
  const targets = await readTargets(sql, book, endpointId === undefined ? null : uuidOf(endpointId));
  if (endpointId === undefined) return targets.filter(({ status }) => status === "Enabled");
  const [target] = targets;
  if (target === undefined) throw notFound("webhook endpoint", "/endpointId");
  if (target.status === "Disabled") {
    throw new Refusal(
      "invalid_state_transition",
      `The endpoint is Disabled. Enable it with PATCH /v1/webhook-endpoints/${endpointId}, then replay.`,
      { context: { resourceId: endpointId, currentStatus: "Disabled", allowedStatuses: ["Enabled"] } },
    );
  }
  return targets;
}

/** Refuses a replay of more than a million; `what` are too many, and `limit` says what a replay can do. */
function tooMany(what: string, limit: string): Refusal {
  const max = maxMatched.toLocaleString("en-US");
  const message = `must be earlier: more than ${max} ${what} between since and until`;
  return new Refusal(
    "invalid_field",
    `A replay ${limit} ${max}. Choose a shorter period, one endpoint or fewer event types.`,
    { errors: [{ pointer: "/until", code: "invalid_field", message }] },
  );
}

async function anotherIsRunning(sql: Sql, book: string): Promise<Refusal> {
  const running = await runningReplay(sql, book);
  return new Refusal(
    "invalid_state_transition",
    "Another replay of this book is under way. Wait until it is Done, or cancel it, then replay.",
    running === undefined ? {} : { context: { resourceId: idOf("rpl", running), currentStatus: "Running" } },
  );
}

/** The stored id. Refusals: `not_found` for text that is not a replay's id. */
function parseReplayId(id: string): string {
  if (!isId("rpl", id)) throw notFound("replay");
  return uuidOf(id);
}

async function getReplay(sql: Sql, book: string, id: string): Promise<WebhookReplay> {
  const row = await readReplay(sql, book, parseReplayId(id));
  if (row === undefined) throw notFound("replay");
  return toReplay(row);
}
