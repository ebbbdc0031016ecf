import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { realTime } from "../../platform/clock/real-time.ts";
import { FailingBooks, notTried } from "../../platform/failing-books.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { RailOutages } from "../instructions/rail-outages.ts";
import { endWaitsOfInstantBook, moveWaitsToBook, nextWaiting } from "../instructions/store/end-waits.ts";
import {
  beforeAllHandOffs,
  type HandOffPlace,
  readRechecks,
  type Recheck,
  type RecheckKind,
  saveRecheck,
  takeRecheck,
  tryLockRechecks,
} from "../instructions/store/payment-rechecks.ts";
import { readSilentRails } from "../rules/store/outages.ts";
import { lockAgainstHandOffs } from "../rules/store/simulated-books.ts";

const intervalMs = 500;
const maxPerTick = 100;
/** Payments per transaction: a thousand take about a fifth of a second. */
const batchSize = 1_000;

/** Goes through the next payments. Returns the place of the last one, or null if none is left. */
type Part = (
  unit: UnitOfWork,
  book: Recheck["book"],
  after: HandOffPlace,
  at: Date,
) => Promise<HandOffPlace | null>;

/**
 * Goes through the payments of a book that a change concerns, a thousand per transaction: after an outage has ended or
 * the clock was set. A killed instance has committed whole parts, and another one continues after them. Between two
 * parts, hand-offs of the book are planned. An advance of the book's clock waits for all parts.
 */
@Injectable()
export class RecheckPayments extends PollingWorker {
  readonly #database: Database;
  readonly #units: UnitOfWorkRunner;
  readonly #failing: FailingBooks;
  readonly #parts: Readonly<Record<RecheckKind, Part>>;

  constructor(
    database: Database,
    units: UnitOfWorkRunner,
    outages: RailOutages,
    metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    super("recheck-payments", intervalMs, () => this.tick(), log, failedTicksOf(metrics));
    this.#database = database;
    this.#units = units;
    this.#failing = new FailingBooks("recheck-payments", { metrics, log });
    this.#parts = {
      OutageEnd: async (unit, book, after, at) => {
        const silent = await readSilentRails(unit.sql, book);
        return (await outages.end(unit, book, { silent, at, limit: batchSize })) ? after : null;
      },
      FirstClock: async ({ sql }, book, after, at) => {
        // Those that have moved are on the clock: the next part finds the others.
        const waiting = await nextWaiting(sql, book, { onBookClock: false, after, limit: batchSize });
        await moveWaitsToBook(sql, waiting);
        await endWaitsOfInstantBook(sql, book, waiting, at);
        return waiting.length < batchSize ? null : after;
      },
      InstantClock: async ({ sql }, book, after, at) => {
        const waiting = await nextWaiting(sql, book, { onBookClock: true, after, limit: batchSize });
        await endWaitsOfInstantBook(sql, book, waiting, at);
        return waiting.length < batchSize ? null : (waiting.at(-1) ?? null);
      },
    };
  }

  /**
   * Goes through the first thousand payments at once, which most books don't exceed. The worker does the others, after
   * the commit. A recheck of the same kind that is under way starts over. Call `lockAgainstHandOffs` first.
   */
  async begin(unit: UnitOfWork, recheck: Recheck, at = realTime()): Promise<void> {
    await takeRecheck(unit.sql, recheck);
    await this.#runPart(unit, recheck, beforeAllHandOffs, at);
    unit.afterCommit(() => {
      this.wake();
    });
  }

  /** Goes through one part of each recheck. Returns how many it has gone through. */
  async tick(at = realTime()): Promise<number> {
    const wanted = { limit: maxPerTick, except: this.#failing.waiting(at) };
    let continued = 0;
    for (const recheck of await readRechecks(this.#database.sql, wanted)) {
      // Another recheck of the book has just failed.
      if (this.#failing.isWaiting(recheck.book, at)) continue;
      const wentOn = await this.#failing.attempt(recheck.book, at, () =>
        this.#units.run((unit) => this.#continue(unit, recheck, at)),
      );
      if (wentOn === true) continued += 1;
    }
    return continued;
  }

  /** Returns `notTried` if another instance goes through the book's payments, or has ended the recheck. */
  async #continue(unit: UnitOfWork, recheck: Recheck, at: Date): Promise<true | typeof notTried> {
    const { sql } = unit;
    await limitToOneBook(sql);
    if (!(await tryLockRechecks(sql, recheck.book))) return notTried;
    await lockAgainstHandOffs(sql, recheck.book);
    const after = await takeRecheck(sql, recheck);
    if (after === undefined) return notTried;
    await this.#runPart(unit, recheck, after, at);
    return true;
  }

  /**
   * Runs one part, and stores the recheck again unless it is done. The recheck must be out of the table: else the rail
   * would withhold again what the outage has just released.
   */
  async #runPart(unit: UnitOfWork, recheck: Recheck, after: HandOffPlace, at: Date): Promise<void> {
    const last = await this.#parts[recheck.kind](unit, recheck.book, after, at);
    if (last !== null) await saveRecheck(unit.sql, recheck, last);
  }
}
