import { Injectable } from "@nestjs/common";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { ClockFollower } from "../../platform/clock/clock-follower.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { FlagMissingStatements } from "../reconciliation/flag-missing-statements.worker.ts";
import { nextDueOfBook } from "./next-due.ts";

/** The ledger records missing statements by the clock of their book. */
@Injectable()
export class FollowClock extends ClockFollower {
  readonly #missingStatements: FlagMissingStatements;

  constructor(missingStatements: FlagMissingStatements) {
    super();
    this.#missingStatements = missingStatements;
  }

  override nextDueOf(sql: Sql, book: BookId): Promise<Date | null> {
    return nextDueOfBook(sql, book);
  }

  override wake(): void {
    this.#missingStatements.wake();
  }
}
