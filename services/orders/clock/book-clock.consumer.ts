import { Controller } from "@nestjs/common";
import { BookClockChanged } from "../../../contracts/messages/clocks.ts";
import { ClockCopy } from "../../platform/clock/clock-copy.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { followClock } from "./follow-clock.ts";

/** Follows the clocks of Test books. */
@Controller()
export class BookClocks {
  readonly #clocks: ClockCopy;

  constructor(clocks: ClockCopy) {
    this.#clocks = clocks;
  }

  @Consumes(BookClockChanged)
  async onChange(events: readonly MessageOf<typeof BookClockChanged>[], { sql }: UnitOfWork): Promise<void> {
    await this.#clocks.store(events, sql, followClock);
  }
}
