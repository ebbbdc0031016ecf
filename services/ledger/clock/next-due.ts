import {
  bankingDayOf,
  endOfDate,
  lastBankingDayEndedBy,
  timeOnDayAfter,
} from "../../../contracts/rails/banking-calendar.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { missingFromHour } from "../reconciliation/flag-missing-statements.worker.ts";
import { unreportedSince } from "../reconciliation/store/missing-statements.ts";

/**
 * When the ledger has something to do for a book, on the book's clock: it records that a statement is missing. Of days
 * that the clock has skipped, only the last one counts.
 */
export async function nextDueOfBook(sql: Sql, book: BookId): Promise<Date | null> {
  const unreported = await unreportedSince(sql, book);
  if (unreported === null) return null;
  const movedOn = bankingDayOf(unreported.movedAt);
  const lastEnded = lastBankingDayEndedBy(await readTimeIn(sql, book), missingFromHour);
  let day = movedOn > lastEnded ? movedOn : lastEnded;
  const { flagged, coveredUntil } = unreported;
  const isCovered = (one: string) => coveredUntil !== null && endOfDate(one) <= coveredUntil;
  while (flagged.has(day) || isCovered(day)) day = bankingDayOf(endOfDate(day));
  return timeOnDayAfter(day, missingFromHour);
}
