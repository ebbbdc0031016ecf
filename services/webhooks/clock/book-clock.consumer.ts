import { Controller } from "@nestjs/common";
import { BookClockNotified } from "../../../contracts/messages/clocks.ts";
import { ClockCopy } from "../../platform/clock/clock-copy.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";

/** Follows the clocks of Test books. */
@Controller()
export class BookClocks {
  readonly #clocks: ClockCopy;

  constructor(clocks: ClockCopy) {
    this.#clocks = clocks;
  }

  @Consumes(BookClockNotified)
  async onChange(events: readonly MessageOf<typeof BookClockNotified>[], { sql }: UnitOfWork): Promise<void> {
    await this.#clocks.store(events, sql);
  }
}
