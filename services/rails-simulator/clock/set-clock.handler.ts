import { Controller } from "@nestjs/common";
import { type BookClock, defaultSeed, instantClock, timeIn } from "../../../contracts/book-clock.ts";
import { Refusal } from "../../../contracts/errors.ts";
import type { Clock, ClockPut } from "../../../contracts/http/sandbox/clock.ts";
import {
  BookClockChanged,
  BookClockNotified,
  GetClock,
  PutClock,
} from "../../../contracts/messages/clocks.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { BooksWithClock } from "../../platform/clock/books-with-clock.ts";
import {
  HandlesRequest,
  type IdempotentReplay,
  type RequestContext,
} from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { requireTestBook } from "../instructions/require-test-book.ts";
import { RecheckPayments } from "../rechecks/recheck-payments.worker.ts";
import { lockAgainstHandOffs } from "../rules/store/simulated-books.ts";
import { insertLogEntries } from "../simulation-log/store/simulation-log.ts";
import { ClockFollowers } from "./clock-followers.ts";
import { viewOfClock } from "./clock-view.ts";
import { settingOf } from "./domain/clock-setting.ts";
import { readUnderWay } from "./store/clock-advances.ts";
import { lockClock, readSetting, saveSeed } from "./store/clock-settings.ts";

/** Reads and sets the clock of a Test book. */
@Controller()
export class SetClock {
  readonly #database: Database;
  readonly #units: UnitOfWorkRunner;
  readonly #followers: ClockFollowers;
  readonly #booksWithClock: BooksWithClock;
  readonly #rechecks: RecheckPayments;

  constructor(
    database: Database,
    units: UnitOfWorkRunner,
    followers: ClockFollowers,
    booksWithClock: BooksWithClock,
    rechecks: RecheckPayments,
  ) {
    this.#rechecks = rechecks;
    this.#database = database;
    this.#units = units;
    this.#followers = followers;
    this.#booksWithClock = booksWithClock;
  }

  /** Refusals: `simulation_requires_test_key`. */
  @HandlesRequest(GetClock)
  async read(_: object, context: RequestContext): Promise<Clock> {
    requireTestBook(context);
    const { book } = context.caller;
    const { sql } = this.#database;
    const [{ clock = instantClock, seed = defaultSeed }, advance] = await Promise.all([
      readSetting(sql, book),
      readUnderWay(sql, book),
    ]);
    return viewOfClock(clock, { seed, advance, realNow: realTime() });
  }

  /**
   * Sets the clock and answers once the other services have it. Refusals: `simulation_requires_test_key`;
   * `clock_advancing` while an advance runs; `clock_goes_back`; `invalid_field`.
   */
  @HandlesRequest(PutClock)
  async put(body: ClockPut, context: RequestContext): Promise<Clock | IdempotentReplay<Clock>> {
    requireTestBook(context);
    const operation = { name: "simulate-clock", resourceId: () => context.caller.book };
    let changed: (BookClock & { readonly sequence: number }) | undefined;
    const answer = await this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const set = await setClock(unit, context, body, this.#rechecks);
        changed = set.changed;
        return set.view;
      }),
    );
    if (changed !== undefined) {
      this.#booksWithClock.add(context.caller.book);
      await this.#followers.apply(context.caller, changed);
    }
    return answer;
  }
}

async function setClock(
  unit: UnitOfWork,
  context: RequestContext,
  body: ClockPut,
  rechecks: RecheckPayments,
) {
  const { sql, outbox } = unit;
  const { book } = context.caller;
  await lockClock(sql, book);
  await lockAgainstHandOffs(sql, book);
  const advance = await readUnderWay(sql, book);
  if (advance !== undefined) {
    throw new Refusal(
      "clock_advancing",
      `The clock is being advanced to ${advance.to.toISOString()}. Set it after that: read the advance to see how far it is.`,
      { context: { advanceId: advance.id } },
    );
  }
  const realNow = realTime();
  const stored = await readSetting(sql, book);
  const clock = settingOf(stored.clock ?? instantClock, body, realNow);
  const seed = body.seed ?? stored.seed ?? defaultSeed;
  if (body.seed !== undefined) await saveSeed(sql, book, body.seed);
  const view = viewOfClock(clock, { seed, advance, realNow });
  const details = { mode: clock.mode, seed };
  const bookTime = timeIn(clock, realNow);
  await insertLogEntries(sql, [
    { book, kind: "ClockSet", actor: context.caller.principal, bookTime, details },
  ]);
  // A book that stays in real time needs no clock of its own.
  if (stored.clock === undefined && clock.mode === "Instant" && clock.leadMs === 0) return { view };
  const changed = { ...clock, sequence: stored.sequence + 1 };
  const saved = await saveClock(sql, book, changed);
  if (saved?.first === true) await rechecks.begin(unit, { book, kind: "FirstClock" }, realNow);
  else if (clock.mode === "Instant") await rechecks.begin(unit, { book, kind: "InstantClock" }, realNow);
  addClockChanged(outbox, context, changed);
  return { view, changed };
}

/** Puts the events of a changed clock into the outbox. */
export function addClockChanged(
  outbox: UnitOfWork["outbox"],
  { caller: { book }, ...cause }: Pick<RequestContext, "caller" | "correlationid" | "traceparent">,
  { mode, leadMs, standsAt, sequence }: BookClock & { readonly sequence: number },
): void {
  const data = { mode, leadMs, standsAt: standsAt?.toISOString() ?? null };
  const message = { book, subject: book, sequence, data, cause };
  outbox.add(BookClockChanged, message);
  outbox.add(BookClockNotified, message);
}
