import { Injectable } from "@nestjs/common";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { SimulatedRail } from "./simulated-rail.ts";
import { type SilentRail, silence, takeHeld, unsilence } from "./store/undelivered-instructions.ts";

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
   * Hands on what waited for an outage of the book that has ended. What happened while the rail was silent is then due.
   * @param silent the rails of the book that are still out.
   */
  async end(unit: UnitOfWork, book: BookId, silent: readonly SilentRail[], at = realTime()): Promise<void> {
    await unsilence(unit.sql, book, silent);
    const submissions = await takeHeld(unit.sql, book);
    if (submissions.length > 0) await this.#rail.take({ submissions, inquiries: [] }, unit, at);
  }
}
