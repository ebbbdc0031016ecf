import { Controller, Inject } from "@nestjs/common";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { StatementIssued } from "../../../contracts/messages/bank-statements.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { closePeriods, type PeriodClosing } from "../posting/store/accounting-periods.ts";
import { joinParts, changedStatement } from "./domain/bank-statement.ts";
import { hasBook } from "../posting/store/lock-books.ts";
import { StatementReconciler } from "./reconcile-statement.ts";
import {
  findStatement,
  savePart,
  lastStatement,
  lockReconciliation,
  partsAfter,
} from "./store/bank-statements.ts";

/** Receives statements part by part, in any order. */
@Controller()
export class ReceiveStatements {
  readonly #reconcile: StatementReconciler;

  constructor(@Inject(StatementReconciler) reconcile: StatementReconciler) {
    this.#reconcile = reconcile;
  }

  /**
   * Stores the part. A statement is compared once it is complete, the previous one has been compared and the book is
   * there; statements that waited for it follow. The first request for a run creates the book. On StatementRefused
   * nothing of that statement is written.
   */
  @Consumes(StatementIssued)
  async receive(messages: readonly MessageOf<typeof StatementIssued>[], unit: UnitOfWork): Promise<void> {
    const closings: PeriodClosing[] = [];
    // In book order, so that two instances don't lock two books' reconciliations crosswise.
    const books = [...Map.groupBy(messages, ({ book }) => book)].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [book, ofBook] of books) {
      await lockReconciliation(unit.sql, book);
      for (const { data } of ofBook) {
        const known = await findStatement(unit.sql, book, data.statement.id);
        if (known === undefined) await savePart(unit.sql, book, data);
        // A compared statement is complete: a part of it can only repeat it, or is forged.
        else if (known.hash !== data.statement.hash) throw changedStatement(data.statement);
      }
      closings.push(...(await this.#reconcileComplete(unit, book)));
    }
    await closePeriods(unit.sql, closings);
  }

  /** Returns the periods to close. */
  async #reconcileComplete(unit: UnitOfWork, book: BookId): Promise<PeriodClosing[]> {
    const closings: PeriodClosing[] = [];
    for (;;) {
      const previous = await lastStatement(unit.sql, book);
      const statement = joinParts(book, await partsAfter(unit.sql, book, previous?.id ?? null));
      if (statement === null || !(await hasBook(unit.sql, book))) return closings;
      const { closing } = await this.#reconcile.reconcileStatement(unit, book, statement);
      if (closing !== null) closings.push(closing);
    }
  }
}
