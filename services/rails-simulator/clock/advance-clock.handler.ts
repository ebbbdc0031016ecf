import { setTimeout as delay } from "node:timers/promises";
import { Controller } from "@nestjs/common";
import { type BookClock, timeIn } from "../../../contracts/book-clock.ts";
import { Refusal } from "../../../contracts/errors.ts";
import type { ClockAdvance, ClockAdvanceCreate } from "../../../contracts/http/sandbox/clock.ts";
import { type BookId, isId, newId } from "../../../contracts/ids/ids.ts";
import { AdvanceClock, GetClockAdvance } from "../../../contracts/messages/clocks.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import {
  HandlesRequest,
  type IdempotentReplay,
  type RequestContext,
} from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { findReplay, withIdempotency } from "../../platform/rpc/idempotency.ts";
import { requireTestBook } from "../instructions/require-test-book.ts";
import { insertLogEntries } from "../simulation-log/store/simulation-log.ts";
import { AdvanceClocks } from "./advance-clocks.worker.ts";
import { BookProgress, quietAfterTwo, type Round } from "./book-progress.ts";
import { viewOfAdvance } from "./clock-view.ts";
import { targetOf } from "./domain/advance-target.ts";
import { insertAdvance, readAdvance, readUnderWay } from "./store/clock-advances.ts";
import { lockClock, readSetting } from "./store/clock-settings.ts";

const operation = { name: "simulate-clock-advance", resourceId: (advance: ClockAdvance) => advance.id };

const defaultDeadlineMs = 5_000;
/** How long before the request's deadline the book has to be quiet, so that the advance can be stored in time. */
const storesWithinMs = 500;
const askAgainMs = 5;

/** Starts advances of a Manual clock. `AdvanceClocks` carries them out. */
@Controller()
export class AdvanceClockHandler {
  readonly #database: Database;
  readonly #units: UnitOfWorkRunner;
  readonly #rpc: RpcClient;
  readonly #worker: AdvanceClocks;

  constructor(database: Database, units: UnitOfWorkRunner, rpc: RpcClient, worker: AdvanceClocks) {
    this.#database = database;
    this.#units = units;
    this.#rpc = rpc;
    this.#worker = worker;
  }

  /**
   * Refusals: `simulation_requires_test_key`; `clock_not_manual`; `clock_advancing` while another one runs;
   * `clock_goes_back`; `invalid_field`; `simulation_not_applicable` if the book or the rail has no such time;
   * `service_unavailable` if the book is not quiet in time, so that its next event is not known.
   */
  @HandlesRequest(AdvanceClock)
  async advance(
    body: ClockAdvanceCreate,
    context: RequestContext,
  ): Promise<ClockAdvance | IdempotentReplay<ClockAdvance>> {
    requireTestBook(context);
    const replay = await findReplay<ClockAdvance>(this.#database.sql, context, operation);
    if (replay !== undefined) return replay;
    const nextEventAt = body.nextEvent === true ? await this.#nextEventAt(context) : null;
    const answer = await this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () => createAdvance(unit, context, body, nextEventAt)),
    );
    this.#worker.wake();
    return answer;
  }

  /** Refusals: `simulation_requires_test_key`, `not_found`. */
  @HandlesRequest(GetClockAdvance)
  async read({ id }: { id: string }, context: RequestContext): Promise<ClockAdvance> {
    requireTestBook(context);
    const { sql } = this.#database;
    const { book } = context.caller;
    const advance = isId("adv", id) ? await readAdvance(sql, book, id) : undefined;
    if (advance === undefined) throw new Refusal("not_found", "There is no such advance in this book.");
    return viewOfAdvance(advance, await readTimeIn(sql, book));
  }

  /**
   * The book's next event once it is quiet: what is under way may lead to an earlier one. Asked outside the
   * transaction, which holds a connection.
   */
  async #nextEventAt({ caller, deadline }: RequestContext): Promise<Date> {
    const now = timeIn(await readClockToAdvance(this.#database.sql, caller.book), realTime());
    const endsAt = (deadline ?? realTime().getTime() + defaultDeadlineMs) - storesWithinMs;
    const progress = new BookProgress({ rpc: this.#rpc, units: this.#units }, caller, endsAt);
    const { nextDueAt } = await pollUntilQuiet(() => progress.poll(now), endsAt);
    if (nextDueAt !== null) return nextDueAt;
    throw new Refusal(
      "simulation_not_applicable",
      "Nothing in this book waits for a time. Use to, nextWindow or nextBankingDay.",
      { errors: [{ pointer: "/nextEvent", code: "simulation_not_applicable", message: "nothing waits" }] },
    );
  }
}

/** Refusals: `service_unavailable` if the book is not quiet at `endsAt`. */
async function pollUntilQuiet(poll: () => Promise<Round>, endsAt: number): Promise<Round> {
  const since = performance.now();
  const isQuiet = quietAfterTwo();
  for (;;) {
    const round = await poll();
    if (isQuiet(round)) return round;
    const [waitingFor] = round.waitingFor;
    const pauseMs = waitingFor === undefined ? 0 : askAgainMs + (performance.now() - since) / 10;
    if (realTime().getTime() + pauseMs >= endsAt) {
      throw new Refusal(
        "service_unavailable",
        `The book's next event is not known while it waits for ${waitingFor ?? "what it has just begun"}. Send the request again, or advance the clock with to.`,
      );
    }
    await delay(pauseMs);
  }
}

async function createAdvance(
  { sql }: UnitOfWork,
  { caller }: RequestContext,
  body: ClockAdvanceCreate,
  nextEventAt: Date | null,
): Promise<ClockAdvance> {
  const { book, tenant, principal } = caller;
  await lockClock(sql, book);
  const now = timeIn(await readClockToAdvance(sql, book), realTime());
  const to = targetOf(body, now) ?? nextEventAt ?? now;
  const advance = {
    id: newId("adv"),
    book,
    tenant,
    requestedBy: principal,
    from: now,
    to: to < now ? now : to,
  };
  const details = { id: advance.id, to: advance.to.toISOString() };
  await insertLogEntries(sql, [{ book, kind: "ClockAdvanced", actor: principal, bookTime: now, details }]);
  return viewOfAdvance(await insertAdvance(sql, advance), now);
}

/** Refusals: `clock_not_manual`, `clock_advancing`. */
async function readClockToAdvance(sql: Sql, book: BookId): Promise<BookClock> {
  const { clock } = await readSetting(sql, book);
  if (clock?.mode !== "Manual") {
    throw new Refusal(
      "clock_not_manual",
      `This book's clock is ${clock?.mode ?? "Instant"}. Set it to Manual first: PUT /v1/simulations/clock.`,
      { context: { mode: clock?.mode ?? "Instant" } },
    );
  }
  const underWay = await readUnderWay(sql, book);
  if (underWay !== undefined) {
    throw new Refusal(
      "clock_advancing",
      `The clock is being advanced to ${underWay.to.toISOString()}. Advance it again after that.`,
      { context: { advanceId: underWay.id } },
    );
  }
  return clock;
}
