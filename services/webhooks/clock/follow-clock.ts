import { Injectable } from "@nestjs/common";
import { type BookId, idOf } from "../../../contracts/ids/ids.ts";
import { ClockFollower } from "../../platform/clock/clock-follower.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { Clock } from "../clock.ts";
import { DeliverySender } from "../deliveries/send-due-deliveries.worker.ts";
import {
  findUnderWay,
  followClock,
  moveRetriesToBook,
  nextRetryDueAt,
} from "../deliveries/store/retries-in-book.ts";

/** The retries of webhooks follow the clock of their book, and an advance waits for the attempts that are due. */
@Injectable()
export class FollowClock extends ClockFollower {
  readonly #sender: DeliverySender;
  readonly #clock: Clock;

  constructor(sender: DeliverySender, clock: Clock) {
    super();
    this.#sender = sender;
    this.#clock = clock;
  }

  override async onChange(sql: Sql, book: BookId, { first }: { readonly first: boolean }): Promise<void> {
    if (first) await moveRetriesToBook(sql, book);
    await followClock(sql, book, this.#clock.now());
  }

  override nextDueOf(sql: Sql, book: BookId): Promise<Date | null> {
    return nextRetryDueAt(sql, book);
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
