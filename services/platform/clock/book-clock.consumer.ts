import { Controller, type Type } from "@nestjs/common";
import type { BookClockChanged } from "../../../contracts/messages/clocks.ts";
import { Consumes, type MessageOf } from "../handlers/decorators.ts";
import type { UnitOfWork } from "../handlers/unit-of-work.ts";
import { BooksWithClock } from "./books-with-clock.ts";
import { ClockFollower, storeClock } from "./clock-follower.ts";

// That of webhooks has the same type.
type Changed = typeof BookClockChanged;

/** Stores the clocks of Test books that come as events of this type. */
export function bookClockConsumer(changed: Changed): Type<object> {
  @Controller()
  class BookClockConsumer {
    readonly #booksWithClock: BooksWithClock;
    readonly #follower: ClockFollower;

    constructor(booksWithClock: BooksWithClock, follower: ClockFollower) {
      this.#booksWithClock = booksWithClock;
      this.#follower = follower;
    }

    @Consumes(changed)
    async onChange(events: readonly MessageOf<Changed>[], { sql, afterCommit }: UnitOfWork): Promise<void> {
      const parts = { booksWithClock: this.#booksWithClock, follower: this.#follower };
      for (const { book, sequence = 0, data } of events) {
        await storeClock(sql, book, { ...data, sequence }, parts);
      }
      afterCommit(() => this.#follower.wake());
    }
  }
  return BookClockConsumer;
}
