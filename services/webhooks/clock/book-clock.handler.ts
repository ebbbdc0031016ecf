import { Controller } from "@nestjs/common";
import type { z } from "zod";
import {
  ApplyClockToWebhooks,
  type Progress,
  ReportWebhooksProgress,
} from "../../../contracts/messages/clocks.ts";
import { ClockCopy } from "../../platform/clock/clock-copy.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";

/** Applies the clock of a Test book at once, and reports what webhooks still has to do for such a book. */
@Controller()
export class BookClockHandler {
  readonly #clocks: ClockCopy;

  constructor(clocks: ClockCopy) {
    this.#clocks = clocks;
  }

  @HandlesRequest(ApplyClockToWebhooks)
  apply(
    clock: z.output<typeof ApplyClockToWebhooks.data>,
    request: RequestContext,
  ): Promise<{ applied: boolean }> {
    return this.#clocks.apply(clock, request);
  }

  @HandlesRequest(ReportWebhooksProgress)
  report(question: z.output<typeof ReportWebhooksProgress.data>, request: RequestContext): Promise<Progress> {
    return this.#clocks.report(question, request, () => Promise.resolve(null));
  }
}
