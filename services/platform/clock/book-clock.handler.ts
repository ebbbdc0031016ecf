import { Controller, type Type } from "@nestjs/common";
import type { z } from "zod";
import type {
  ApplyClockToOrders,
  Progress,
  ReportOrdersProgress,
} from "../../../contracts/messages/clocks.ts";
import { HandlesRequest, type RequestContext } from "../handlers/decorators.ts";
import { UnitOfWorkRunner } from "../handlers/unit-of-work.ts";
import { BooksWithClock } from "./books-with-clock.ts";
import { ClockFollower, storeClock } from "./clock-follower.ts";
import { reportProgress } from "./report-progress.ts";

// Those of the other services have the same types.
type Apply = typeof ApplyClockToOrders;
type Report = typeof ReportOrdersProgress;

/** Stores the clock of a Test book at once, and answers what the service still has to do for such a book. */
export function bookClockHandler(apply: Apply, report: Report): Type<object> {
  @Controller()
  class BookClockHandler {
    readonly #units: UnitOfWorkRunner;
    readonly #booksWithClock: BooksWithClock;
    readonly #follower: ClockFollower;

    constructor(units: UnitOfWorkRunner, booksWithClock: BooksWithClock, follower: ClockFollower) {
      this.#units = units;
      this.#booksWithClock = booksWithClock;
      this.#follower = follower;
    }

    @HandlesRequest(apply)
    async apply(clock: z.output<Apply["data"]>, request: RequestContext): Promise<z.output<Apply["reply"]>> {
      const parts = { booksWithClock: this.#booksWithClock, follower: this.#follower };
      const applied = await this.#units.runFor(request, ({ sql }) =>
        storeClock(sql, request.caller.book, clock, parts),
      );
      this.#follower.wake();
      return { applied };
    }

    @HandlesRequest(report)
    report(question: z.output<Report["data"]>, request: RequestContext): Promise<Progress> {
      return this.#units.runFor(request, ({ sql }) =>
        reportProgress(sql, request.caller.book, question, this.#follower),
      );
    }
  }
  return BookClockHandler;
}
