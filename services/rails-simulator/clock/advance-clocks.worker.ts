import { setTimeout as delay } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { type BookClock, instantClock, timeIn } from "../../../contracts/book-clock.ts";
import { newId, newUuid } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { RunDueSteps } from "../instructions/run-due-steps.worker.ts";
import { IssueDueStatements } from "../statements/issue-due-statements.worker.ts";
import { BookProgress, type Round } from "./book-progress.ts";
import { ClockFollowers } from "./clock-followers.ts";
import { advancedTo } from "./domain/clock-setting.ts";
import { addClockChanged } from "./set-clock.handler.ts";
import { type Advance, claimAdvance, releaseAdvance, updateAdvance } from "./store/clock-advances.ts";
import { lockClock, readSetting } from "./store/clock-settings.ts";

const intervalMs = 500;
const leaseMs = 15_000;
const askAgainMs = 5;
const stuckAfterMs = 30_000;

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
  readonly #runner = newUuid();

  constructor(
    database: Database,
    units: UnitOfWorkRunner,
    rpc: RpcClient,
    followers: ClockFollowers,
    dueSteps: RunDueSteps,
    statements: IssueDueStatements,
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
  }

  /** Carries out one advance to its end. Returns 0 if there is none. */
  async tick(signal: AbortSignal): Promise<number> {
    const advance = await claimAdvance(this.#database.sql, this.#runner, leaseMs);
    if (advance === undefined) return 0;
    try {
      await this.#carryOut(advance, signal);
    } finally {
      await releaseAdvance(this.#database.sql, advance, this.#runner);
    }
    return 1;
  }

  async #carryOut(advance: Advance, signal: AbortSignal): Promise<void> {
    const { sql } = this.#database;
    const caller = callerOf(advance);
    const progress = new BookProgress({ rpc: this.#rpc, units: this.#units }, caller);
    let { steps } = advance;
    while (!signal.aborted) {
      const { clock = instantClock } = await readSetting(sql, advance.book);
      const now = timeIn(clock, new Date());
      this.#statements.clockMoved(advance.book);
      const nextDueAt = await this.#waitUntilQuiet(advance, steps, progress, now, signal);
      if (nextDueAt === undefined) return;
      if (now >= advance.to) {
        await this.#update(advance, { status: "Done", steps, waitingFor: null });
        return;
      }
      const next = nextDueAt !== null && nextDueAt < advance.to ? nextDueAt : advance.to;
      steps += 1;
      const moved = await this.#moveTo(advance, steps, next, caller);
      if (moved === undefined) return;
      await this.#followers.apply(caller, moved);
      this.#dueSteps.wake();
    }
  }

  /** Moves the clock in the transaction that counts the step. Undefined if another instance has taken over. */
  #moveTo(advance: Advance, steps: number, to: Date, caller: Caller): Promise<NumberedClock | undefined> {
    return this.#units.run(async ({ sql, outbox }) => {
      await lockClock(sql, advance.book);
      const state = { status: "Running", steps, waitingFor: null } as const;
      if (!(await updateAdvance(sql, advance, this.#runner, state, leaseMs))) return undefined;
      const { clock = instantClock, sequence } = await readSetting(sql, advance.book);
      const moved = { ...advancedTo(clock, to, new Date()), sequence: sequence + 1 };
      await saveClock(sql, advance.book, moved);
      addClockChanged(outbox, { caller, correlationid: advance.id }, moved);
      return moved;
    });
  }

  /**
   * Asks until two rounds in a row find nothing under way. Returns the next time at which something is due, or
   * undefined if this instance has to stop. After 30 seconds the advance is Stuck, and it goes on asking.
   */
  async #waitUntilQuiet(
    advance: Advance,
    steps: number,
    progress: BookProgress,
    now: Date,
    signal: AbortSignal,
  ): Promise<Date | null | undefined> {
    const since = Date.now();
    let renewedAt = since;
    let quiet: Round | undefined;
    while (!signal.aborted) {
      const round = await progress.poll(now);
      if (round.waitingFor.length === 0) {
        if (quiet?.nextDueAt?.getTime() === round.nextDueAt?.getTime() && quiet !== undefined) {
          return round.nextDueAt;
        }
        quiet = round;
        continue;
      }
      quiet = undefined;
      const waitedMs = Date.now() - since;
      if (Date.now() - renewedAt > leaseMs / 3) {
        renewedAt = Date.now();
        const stuck = waitedMs > stuckAfterMs;
        const state = {
          status: stuck ? "Stuck" : "Running",
          steps,
          waitingFor: stuck ? (round.waitingFor[0] ?? null) : null,
        } as const;
        if (!(await this.#update(advance, state))) return undefined;
      }
      await delay(Math.min(askAgainMs + waitedMs / 10, 1_000), undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  #update(advance: Advance, state: Pick<Advance, "status" | "steps" | "waitingFor">): Promise<boolean> {
    return updateAdvance(this.#database.sql, advance, this.#runner, state, leaseMs);
  }
}

function callerOf({ book, tenant, requestedBy }: Advance): Caller {
  return { book, tenant, mode: "Test", principal: requestedBy, requestId: newId("req") };
}
