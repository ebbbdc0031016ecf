import { Controller } from "@nestjs/common";
import type { z } from "zod";
import {
  ApplyClockToOrders,
  type Progress,
  ReportOrdersProgress,
} from "../../../contracts/messages/clocks.ts";
import { ClockCopy } from "../../platform/clock/clock-copy.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { PhaseTimeouts } from "../lifecycle/phase-timeouts.worker.ts";
import { followClock } from "./follow-clock.ts";
import { nextDueInBook } from "./store/due-in-book.ts";

/** Applies the clock of a Test book at once, and reports what orders still has to do for such a book. */
@Controller()
export class BookClockHandler {
  readonly #clocks: ClockCopy;
  readonly #timeouts: PhaseTimeouts;

  constructor(clocks: ClockCopy, timeouts: PhaseTimeouts) {
    this.#clocks = clocks;
    this.#timeouts = timeouts;
  }

  @HandlesRequest(ApplyClockToOrders)
  async apply(
    clock: z.output<typeof ApplyClockToOrders.data>,
    request: RequestContext,
  ): Promise<{ applied: boolean }> {
    const applied = await this.#clocks.apply(clock, request, followClock);
    this.#timeouts.wake();
    return applied;
  }

  @HandlesRequest(ReportOrdersProgress)
  report(question: z.output<typeof ReportOrdersProgress.data>, request: RequestContext): Promise<Progress> {
    return this.#clocks.report(question, request, nextDueInBook);
  }
}
