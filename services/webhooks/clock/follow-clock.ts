import { Injectable } from "@nestjs/common";
import { type BookId, idOf } from "../../../contracts/ids/ids.ts";
import { ClockFollower } from "../../platform/clock/clock-follower.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { ProcessClock } from "../process-clock.ts";
import { DeliverySender } from "../deliveries/send-due-deliveries.worker.ts";
import {
  findUnderWay,
  followClock,
  moveRetriesToBook,
  nextRetryDueAt,
} from "../deliveries/store/retries-in-book.ts";
import { DisableFailing } from "../disabling/disable-failing.worker.ts";
import { nextDisablingAt } from "../disabling/store/failing-endpoints.ts";

/**
 * The retries of webhooks, and the days after which a failing endpoint is disabled, follow the clock of their book. An
 * advance waits for the attempts that are due.
 */
@Injectable()
export class FollowClock extends ClockFollower {
  readonly #sender: DeliverySender;
  readonly #disabling: DisableFailing;
  readonly #clock: ProcessClock;

  constructor(sender: DeliverySender, disabling: DisableFailing, clock: ProcessClock) {
    super();
    this.#sender = sender;
    this.#disabling = disabling;
    this.#clock = clock;
  }

  override async onChange(sql: Sql, book: BookId, { first }: { readonly first: boolean }): Promise<void> {
    if (first) await moveRetriesToBook(sql, book);
    await followClock(sql, book, this.#clock.now());
  }

  /** An endpoint that is to be disabled now is disabled before the next question, and not when the worker looks. */
  override async nextDueOf(sql: Sql, book: BookId): Promise<Date | null> {
    const retryAt = await nextRetryDueAt(sql, book);
    const disablingAt = await nextDisablingAt(sql, book);
    if (disablingAt === null) return retryAt;
    if (disablingAt <= (await readTimeIn(sql, book, this.#clock.now()))) this.#disabling.wake();
    return retryAt !== null && retryAt < disablingAt ? retryAt : disablingAt;
  }

  override async underWayOf(sql: Sql, book: BookId): Promise<string | undefined> {
    const found = await findUnderWay(sql, book, this.#clock.now());
    if (found === undefined) return undefined;
    return `the delivery ${idOf("wh", found.id)} to the endpoint ${idOf("we", found.endpoint_id)}`;
  }

  override wake(): void {
    this.#sender.wake();
  }
}
