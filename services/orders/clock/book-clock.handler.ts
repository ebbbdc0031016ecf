import { Controller } from "@nestjs/common";
import type { z } from "zod";
import {
  ApplyClockToOrders,
  type Progress,
  ReportOrdersProgress,
} from "../../../contracts/messages/clocks.ts";
import { ClockCopy } from "../../platform/clock/clock-copy.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";

/** Applies the clock of a Test book at once, and reports what orders still has to do for such a book. */
@Controller()
export class BookClockHandler {
  readonly #clocks: ClockCopy;

  constructor(clocks: ClockCopy) {
    this.#clocks = clocks;
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
