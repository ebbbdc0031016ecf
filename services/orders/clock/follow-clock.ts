import { Injectable } from "@nestjs/common";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { readClocks } from "../../platform/clock/book-clocks.ts";
import { ClockFollower } from "../../platform/clock/clock-follower.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { PhaseTimeouts } from "../lifecycle/phase-timeouts.worker.ts";
import { beginRecheck } from "../rechecks/store/rechecks.ts";
import { nextDueInBook } from "./store/due-in-book.ts";

/** What orders wait for follows the clock of their book. */
@Injectable()
export class FollowClock extends ClockFollower {
  readonly #timeouts: PhaseTimeouts;

  constructor(timeouts: PhaseTimeouts) {
    super();
    this.#timeouts = timeouts;
  }

  override async onChange(sql: Sql, book: BookId, { first }: { readonly first: boolean }): Promise<void> {
    if (first) return beginRecheck(sql, { book, kind: "FirstClock" }, realTime());
    const clock = (await readClocks(sql, [book])).get(book);
    if (clock?.mode === "Instant") await beginRecheck(sql, { book, kind: "InstantClock" }, realTime());
  }

  override nextDueOf(sql: Sql, book: BookId): Promise<Date | null> {
    return nextDueInBook(sql, book, realTime());
  }

  override wake(): void {
    this.#timeouts.wake();
  }
}
