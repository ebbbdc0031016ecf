import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { bankingDayOf, lastBankingDayEndedBy, endOfDate } from "../../../contracts/rails/banking-calendar.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { issueStatement } from "./issue-statement.handler.ts";
import { readLastStatement, lockStatements } from "./store/bank-statements.ts";
import { booksWithMovements, unreportedMovements } from "./store/unreported-movements.ts";

const intervalMs = 60_000;
/** In New York. The files of the night have arrived by this hour. */
const issuedFromHour = 6;

/**
 * Issues each morning the statement of the last banking day for every book with movements that are on no statement.
 * Any number of instances may run: each locks a book's statements, and finds none left that another has issued.
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
      for (const book of await booksWithMovements(database.sql)) {
        await units.run((unit) => issueThrough(unit, book, day));
      }
      this.#issuedThrough = day;
      return 0;
    };
    super("issue-due-statements", intervalMs, tick, log);
  }
}

/** Issues one statement for each banking day up to `day` with movements. Returns how many. */
export async function issueThrough(unit: UnitOfWork, book: BookId, day: string): Promise<number> {
  await lockStatements(unit.sql, book);
  for (let issued = 0; ; issued += 1) {
    const previous = await readLastStatement(unit.sql, book);
    const previousEndsAt = previous === undefined ? null : new Date(previous.endsAt);
    const [first] = await unreportedMovements(unit.sql, book, { previousEndsAt, endsAt: endOfDate(day) });
    if (first === undefined) return issued;
    // A movement that arrived after the statement of its day is on the next statement.
    const movedAt = new Date(
      Math.max(new Date(first.line.occurredAt).getTime(), previousEndsAt?.getTime() ?? 0),
    );
    const date = bankingDayOf(movedAt);
    if (date > day) return issued;
    await issueStatement(unit, book, { date, endsAt: endOfDate(date) });
  }
}
