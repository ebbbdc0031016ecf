import { Controller } from "@nestjs/common";
import type { z } from "zod";
import {
  ApplyClockToOrders,
  BookClockChanged,
  type Progress,
  ReportOrdersProgress,
} from "../../../contracts/messages/clocks.ts";
import { ClockCopy } from "../../platform/clock/clock-copy.ts";
import {
  Consumes,
  HandlesRequest,
  type MessageOf,
  type RequestContext,
} from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";

/** Follows the clocks of Test books, and says what orders still has to do for such a book. */
@Controller()
export class BookClockHandler {
  readonly #clocks: ClockCopy;

  constructor(clocks: ClockCopy) {
    this.#clocks = clocks;
  }

  @Consumes(BookClockChanged)
  async onChange(events: readonly MessageOf<typeof BookClockChanged>[], { sql }: UnitOfWork): Promise<void> {
    await this.#clocks.store(events, sql);
  }

  @HandlesRequest(ApplyClockToOrders)
  apply(
    clock: z.output<typeof ApplyClockToOrders.data>,
    request: RequestContext,
  ): Promise<{ applied: boolean }> {
    return this.#clocks.apply(clock, request);
  }

  @HandlesRequest(ReportOrdersProgress)
  report(question: z.output<typeof ReportOrdersProgress.data>, request: RequestContext): Promise<Progress> {
    return this.#clocks.report(question, request, () => Promise.resolve(null));
  }
}
