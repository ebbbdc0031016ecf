import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { bankingDayOf, lastBankingDayEndedBy, endOfDate } from "../../../contracts/rails/banking-calendar.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { issueStatement } from "./issue-statement.handler.ts";
import { lastStatement, lockStatements } from "./store/bank-statements.ts";
import { booksThatMoved, unstatedMovements } from "./store/unreported-movements.ts";

const intervalMs = 60_000;
/** In New York: by then the night's files are in. */
const issuedFromHour = 6;

/**
 * Each morning, the statement of the last banking day for every book that moved and has none of it. On any number of
 * instances: a book's statements are issued by one at a time, and what another has issued leaves nothing to issue.
 */
@Injectable()
export class IssueDueStatements extends PollingWorker {
  #issuedThrough = "";

  constructor(
    @Inject(Database) database: Database,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(LOG) log: Logger,
  ) {
    const tick = async () => {
      const day = lastBankingDayEndedBy(new Date(), issuedFromHour);
      if (day <= this.#issuedThrough) return 0;
      for (const book of await booksThatMoved(database.sql)) {
        await units.run((unit) => issueThrough(unit, book, day));
      }
      this.#issuedThrough = day;
      return 0;
    };
    super("issue-due-statements", intervalMs, tick, log);
  }
}

/** One statement for each banking day up to `day` on which the book moved; gives how many. */
export async function issueThrough(unit: UnitOfWork, book: BookId, day: string): Promise<number> {
  await lockStatements(unit.sql, book);
  for (let issued = 0; ; issued += 1) {
    const previous = await lastStatement(unit.sql, book);
    const previousEndsAt = previous === undefined ? null : new Date(previous.endsAt);
    const [first] = await unstatedMovements(unit.sql, book, { previousEndsAt, endsAt: endOfDate(day) });
    if (first === undefined) return issued;
    // What came late, of a day that is stated, is on the next day's.
    const movedAt = new Date(
      Math.max(new Date(first.line.occurredAt).getTime(), previousEndsAt?.getTime() ?? 0),
    );
    const date = bankingDayOf(movedAt);
    if (date > day) return issued;
    await issueStatement(unit, book, { date, endsAt: endOfDate(date) });
  }
}
