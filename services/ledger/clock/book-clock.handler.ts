import { Controller } from "@nestjs/common";
import type { z } from "zod";
import {
  ApplyClockToLedger,
  type Progress,
  ReportLedgerProgress,
} from "../../../contracts/messages/clocks.ts";
import { ClockCopy } from "../../platform/clock/clock-copy.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { FlagMissingStatements } from "../reconciliation/flag-missing-statements.worker.ts";
import { nextDueOfBook } from "./next-due.ts";

/** Applies the clock of a Test book at once, and reports what ledger still has to do for such a book. */
@Controller()
export class BookClockHandler {
  readonly #clocks: ClockCopy;
  readonly #missingStatements: FlagMissingStatements;

  constructor(clocks: ClockCopy, missingStatements: FlagMissingStatements) {
    this.#clocks = clocks;
    this.#missingStatements = missingStatements;
  }

  @HandlesRequest(ApplyClockToLedger)
  async apply(
    clock: z.output<typeof ApplyClockToLedger.data>,
    request: RequestContext,
  ): Promise<{ applied: boolean }> {
    const answer = await this.#clocks.apply(clock, request);
    this.#missingStatements.wake();
    return answer;
  }

  @HandlesRequest(ReportLedgerProgress)
  report(question: z.output<typeof ReportLedgerProgress.data>, request: RequestContext): Promise<Progress> {
    return this.#clocks.report(question, request, nextDueOfBook);
  }
}
