import { Injectable } from "@nestjs/common";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { ClockFollower } from "../../platform/clock/clock-follower.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { PhaseTimeouts } from "../lifecycle/phase-timeouts.worker.ts";
import { endWaitsOfInstantBook, moveDueTimesToBook, nextDueInBook } from "./store/due-in-book.ts";

/** What orders wait for follows the clock of their book. */
@Injectable()
export class FollowClock extends ClockFollower {
  readonly #timeouts: PhaseTimeouts;

  constructor(timeouts: PhaseTimeouts) {
    super();
    this.#timeouts = timeouts;
  }

  override async onChange(sql: Sql, book: BookId, { first }: { readonly first: boolean }): Promise<void> {
    if (first) await moveDueTimesToBook(sql, book);
    await endWaitsOfInstantBook(sql, book, realTime());
  }

  override nextDueOf(sql: Sql, book: BookId): Promise<Date | null> {
    return nextDueInBook(sql, book, realTime());
  }

  override wake(): void {
    this.#timeouts.wake();
  }
}
