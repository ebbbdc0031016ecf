import { Inject, Injectable } from "@nestjs/common";
import type { z } from "zod";
import { clockOfMessage } from "../../../contracts/book-clock.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type {
  ApplyClockToOrders,
  BookClockChanged,
  Progress,
  ReportOrdersProgress,
} from "../../../contracts/messages/clocks.ts";
import type { MessageOf, RequestContext } from "../handlers/decorators.ts";
import { UnitOfWorkRunner } from "../handlers/unit-of-work.ts";
import type { Sql } from "../persistence/sql.ts";
import { saveClock } from "./book-clocks.ts";
import { BooksWithClock } from "./books-with-clock.ts";
import { type NextDueOf, reportProgress } from "./report-progress.ts";

/**
 * What a service does when the clock of a book has changed, in the transaction that stores the clock. `first`: the book
 * had none of its own.
 */
type OnChange = (sql: Sql, book: BookId, change: { readonly first: boolean }) => Promise<void>;

/** A service's copy of the books' clocks, which rails-simulator sets. */
@Injectable()
export class ClockCopy {
  readonly #units: UnitOfWorkRunner;
  readonly #booksWithClock: BooksWithClock;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(BooksWithClock) booksWithClock: BooksWithClock,
  ) {
    this.#units = units;
    this.#booksWithClock = booksWithClock;
  }

  /** Stores the clocks of a batch of events. */
  async store(
    events: readonly MessageOf<typeof BookClockChanged>[],
    sql: Sql,
    onChange: OnChange = () => Promise.resolve(),
  ): Promise<void> {
    for (const { book, sequence = 0, data } of events) {
      this.#booksWithClock.add(book);
      const saved = await saveClock(sql, book, { ...clockOfMessage(data), sequence });
      if (saved !== undefined) await onChange(sql, book, saved);
    }
  }

  /** Stores a clock whose setter waits for it. */
  async apply(
    { sequence, ...clock }: z.output<typeof ApplyClockToOrders.data>,
    request: RequestContext,
    onChange: OnChange = () => Promise.resolve(),
  ): Promise<{ applied: boolean }> {
    const { book } = request.caller;
    this.#booksWithClock.add(book);
    const applied = await this.#units.runFor(request, async ({ sql }) => {
      const saved = await saveClock(sql, book, { ...clockOfMessage(clock), sequence });
      if (saved !== undefined) await onChange(sql, book, saved);
      return saved !== undefined;
    });
    return { applied };
  }

  /** Answers what the service still has to do for the caller's book. */
  report(
    question: z.output<typeof ReportOrdersProgress.data>,
    request: RequestContext,
    nextDueOf: NextDueOf,
  ): Promise<Progress> {
    const { book } = request.caller;
    return this.#units.runFor(request, ({ sql }) => reportProgress(sql, book, question, nextDueOf));
  }
}
