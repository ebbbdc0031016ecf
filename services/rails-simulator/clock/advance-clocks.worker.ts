import { setTimeout as delay } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { type BookClock, instantClock, timeIn } from "../../../contracts/book-clock.ts";
import { type BookId, newId, newUuid } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { FailingBooks, notTried } from "../../platform/failing-books.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { LOG } from "../../platform/platform.module.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { EndOutages } from "../injections/end-outages.worker.ts";
import { RunDueSteps } from "../instructions/run-due-steps.worker.ts";
import { IssueDueStatements } from "../statements/issue-due-statements.worker.ts";
import { BookProgress, quietAfterTwo, type Round } from "./book-progress.ts";
import { ClockFollowers } from "./clock-followers.ts";
import { advancedTo } from "./domain/clock-setting.ts";
import { addClockChanged } from "./set-clock.handler.ts";
import {
  type Advance,
  booksToAdvance,
  claimAdvance,
  releaseAdvance,
  updateAdvance,
} from "./store/clock-advances.ts";
import { lockClock, readSetting } from "./store/clock-settings.ts";

const intervalMs = 500;
const maxAtOnce = 16;
const leaseMs = 15_000;
const askAgainMs = 5;
const stuckAfterMs = 30_000;
/** How long a stuck advance is tried each time, and how long it rests in between. */
const stuckTryMs = 2_000;
const stuckRestMs = 5_000;

type NumberedClock = BookClock & { readonly sequence: number };

/**
 * Carries out the advances of Manual clocks. It moves a book's clock to the earliest time at which any service has
 * something to do, waits until the book is quiet, and goes on from there until the clock has arrived. Each step is
 * committed with the clock, so another instance goes on where a killed one has stopped.
 */
@Injectable()
export class AdvanceClocks extends PollingWorker {
  readonly #database: Database;
  readonly #units: UnitOfWorkRunner;
  readonly #rpc: RpcClient;
  readonly #followers: ClockFollowers;
  readonly #dueSteps: RunDueSteps;
  readonly #statements: IssueDueStatements;
  readonly #outages: EndOutages;
  readonly #failing: FailingBooks;
  readonly #log: Logger;
  readonly #runner = newUuid();
  readonly #underWay = new Map<BookId, Promise<void>>();

  constructor(
    database: Database,
    units: UnitOfWorkRunner,
    rpc: RpcClient,
    followers: ClockFollowers,
    dueSteps: RunDueSteps,
    statements: IssueDueStatements,
    outages: EndOutages,
    metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("advance-clocks", intervalMs, (signal) => this.tick(signal), log, failedTicksOf(metrics));
    this.#database = database;
    this.#units = units;
    this.#rpc = rpc;
    this.#followers = followers;
    this.#dueSteps = dueSteps;
    this.#statements = statements;
    this.#outages = outages;
    this.#log = log;
    this.#failing = new FailingBooks("advance-clocks", { metrics, log });
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await Promise.allSettled(this.#underWay.values());
  }

  /** Starts the advances that no instance carries out. Each runs on its own: a stuck one delays no other book. */
  async tick(signal: AbortSignal): Promise<number> {
    const now = realTime();
    const except = [...this.#failing.waiting(now), ...this.#underWay.keys()];
    const free = maxAtOnce - this.#underWay.size;
    for (const book of free > 0 ? await booksToAdvance(this.#database.sql, free, except) : []) {
      const running = this.#failing
        .attempt(book, now, () => this.#advance(book, signal))
        .finally(() => this.#underWay.delete(book))
        .then((hasRun) => {
          if (hasRun === true) this.wake();
        });
      this.#underWay.set(book, running);
      running.catch((error: unknown) => {
        this.#log.error({ err: error, book }, "an advance failed; it is tried again");
      });
    }
    return 0;
  }

  /** Carries out the advance of a book, unless another instance does. */
  async #advance(book: BookId, signal: AbortSignal): Promise<true | typeof notTried> {
    const advance = await claimAdvance(this.#database.sql, book, this.#runner, leaseMs);
    if (advance === undefined) return notTried;
    const ended = await this.#carryOut(advance, signal);
    await releaseAdvance(this.#database.sql, advance, this.#runner, ended === "Stuck" ? stuckRestMs : 0);
    return true;
  }

  async #carryOut(advance: Advance, signal: AbortSignal): Promise<"Done" | "Stuck" | "Stopped"> {
    const { sql } = this.#database;
    const caller = callerOf(advance);
    const progress = new BookProgress({ rpc: this.#rpc, units: this.#units }, caller);
    let state = { steps: advance.steps, isStuck: advance.status === "Stuck" };
    while (!signal.aborted) {
      const { clock = instantClock, sequence } = await readSetting(sql, advance.book);
      const now = timeIn(clock, realTime());
      const poll = this.#pollAt(now, { ...clock, sequence }, caller, progress);
      const quiet = await this.#waitUntilQuiet(advance, state, poll, signal);
      if (typeof quiet === "string") return quiet;
      if (now >= advance.to) {
        await this.#update(advance, { status: "Done", steps: state.steps, waitingFor: null });
        return "Done";
      }
      const { nextDueAt } = quiet;
      const next = nextDueAt !== null && nextDueAt < advance.to ? nextDueAt : advance.to;
      state = { steps: state.steps + 1, isStuck: false };
      if (!(await this.#moveTo(advance, state.steps, next, caller))) return "Stopped";
    }
    return "Stopped";
  }

  /** Polls the services once they have the clock. What waits for a time in rails-simulator is started at once. */
  #pollAt(now: Date, clock: NumberedClock, caller: Caller, progress: BookProgress): () => Promise<Round> {
    let isApplied = false;
    return async () => {
      if (!isApplied) {
        const silent = await this.#followers.apply(caller, clock);
        if (silent.length > 0) {
          return {
            waitingFor: silent.map((service) => `${service}, which does not answer`),
            nextDueAt: null,
          };
        }
        isApplied = true;
        this.#statements.clockMoved(caller.book);
        this.#dueSteps.wake();
        this.#outages.wake();
      }
      return progress.poll(now);
    };
  }

  /**
   * Moves the clock in the transaction that counts the step. The last step publishes it. Returns false if another
   * instance has taken over.
   */
  #moveTo(advance: Advance, steps: number, to: Date, caller: Caller): Promise<boolean> {
    return this.#units.run(async ({ sql, outbox }) => {
      await limitToOneBook(sql);
      await lockClock(sql, advance.book);
      const state = { status: "Running", steps, waitingFor: null } as const;
      if (!(await updateAdvance(sql, advance, this.#runner, state, leaseMs))) return false;
      const { clock = instantClock, sequence } = await readSetting(sql, advance.book);
      const moved = { ...advancedTo(clock, to, realTime()), sequence: sequence + 1 };
      await saveClock(sql, advance.book, moved);
      if (to >= advance.to) addClockChanged(outbox, { caller, correlationid: advance.id }, moved);
      return true;
    });
  }

  /** Polls until two rounds in a row find nothing under way, and returns the last one. */
  async #waitUntilQuiet(
    advance: Advance,
    { steps, isStuck }: { readonly steps: number; readonly isStuck: boolean },
    poll: () => Promise<Round>,
    signal: AbortSignal,
  ): Promise<Round | "Stuck" | "Stopped"> {
    const since = performance.now();
    let renewedAt = since;
    const isQuiet = quietAfterTwo();
    while (!signal.aborted) {
      const round = await poll();
      if (isQuiet(round)) return round;
      if (round.waitingFor.length === 0) continue;
      const waitedMs = performance.now() - since;
      if (waitedMs > (isStuck ? stuckTryMs : stuckAfterMs)) {
        const waitingFor = round.waitingFor[0] ?? null;
        return (await this.#update(advance, { status: "Stuck", steps, waitingFor })) ? "Stuck" : "Stopped";
      }
      if (performance.now() - renewedAt > leaseMs / 3) {
        renewedAt = performance.now();
        const status = isStuck ? "Stuck" : "Running";
        const waitingFor = isStuck ? advance.waitingFor : null;
        if (!(await this.#update(advance, { status, steps, waitingFor }))) return "Stopped";
      }
      await delay(Math.min(askAgainMs + waitedMs / 10, 1_000), undefined, { signal }).catch(() => undefined);
    }
    return "Stopped";
  }

  #update(advance: Advance, state: Pick<Advance, "status" | "steps" | "waitingFor">): Promise<boolean> {
    return updateAdvance(this.#database.sql, advance, this.#runner, state, leaseMs);
  }
}

function callerOf({ book, tenant, requestedBy }: Advance): Caller {
  return { book, tenant, mode: "Test", principal: requestedBy, requestId: newId("req") };
}
