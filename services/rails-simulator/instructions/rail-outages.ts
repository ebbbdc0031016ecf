import { Injectable } from "@nestjs/common";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { rails } from "../../../contracts/rails/rails.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { SimulatedRail } from "./simulated-rail.ts";
import { type SilentRail, silence, takeWithheld, unsilence } from "./store/undelivered-instructions.ts";

/** Outages of rails. A rule's fault keeps new payments from the rail; this silences the others. */
@Injectable()
export class RailOutages {
  readonly #rail: SimulatedRail;

  constructor(rail: SimulatedRail) {
    this.#rail = rail;
  }

  /** The rail says nothing more of the book's payments that are in flight. */
  begin({ sql }: UnitOfWork, book: BookId, rail: SilentRail): Promise<void> {
    return silence(sql, book, rail);
  }

  /**
   * Lets at most `limit` payments go on after an outage of the book: first those that it silenced, then those that it
   * withheld, each in their order. Returns true if the limit was reached, so that more may wait.
   * @param silent the rails of the book that are still out.
   */
  async end(
    unit: UnitOfWork,
    book: BookId,
    { silent, at = realTime(), limit }: { silent: readonly SilentRail[]; at?: Date; limit: number },
  ): Promise<boolean> {
    let remaining = limit - (await unsilence(unit.sql, book, silent, limit));
    for (const rail of rails.filter((each) => !silent.some((out) => out.rail === each))) {
      if (remaining === 0) break;
      const submissions = await takeWithheld(unit.sql, book, rail, remaining);
      remaining -= submissions.length;
      if (submissions.length > 0) await this.#rail.take({ submissions, inquiries: [] }, unit, at);
    }
    return remaining === 0;
  }
}
