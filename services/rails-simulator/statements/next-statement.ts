import {
  addBankingDays,
  addDays,
  bankingDayOf,
  localTime,
} from "../../../contracts/rails/banking-calendar.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { readLastStatement } from "./store/bank-statements.ts";
import { readFirstUnreported, readLastMovement } from "./store/unreported-movements.ts";

/** In New York. The files of the night have arrived by this hour. */
export const issuedFromHour = 6;

/** After the last movement, statements without a line are issued for this many banking days. */
const daysWithoutMovement = 7;

/**
 * The banking day of the statement that reports a movement. If the statement of the movement's own day was already
 * issued, the next one reports it.
 */
export function dayOfMovement(occurredAt: Date, previousEndsAt: Date | null): string {
  return bankingDayOf(new Date(Math.max(occurredAt.getTime(), previousEndsAt?.getTime() ?? 0)));
}

/**
 * The banking day of a book's next statement: that of the first movement on no statement. In a book with a clock of its
 * own, the bank also issues statements without a line for seven banking days after the last movement, as banks do each
 * morning: the ledger posts an Ach payment days after the bank, and expects a statement then.
 */
export async function nextStatementDay(
  sql: Sql,
  book: BookId,
  { hasOwnClock }: { readonly hasOwnClock: boolean },
): Promise<string | null> {
  const previous = await readLastStatement(sql, book);
  const previousEndsAt = previous === undefined ? null : new Date(previous.endsAt);
  const first = await readFirstUnreported(sql, book, previousEndsAt);
  const dayOfFirst = first === null ? null : dayOfMovement(first, previousEndsAt);
  if (!hasOwnClock || previous === undefined || previousEndsAt === null) return dayOfFirst;
  const following = addBankingDays(previous.date, 1);
  if (dayOfFirst !== null && dayOfFirst <= following) return dayOfFirst;
  // Of those on statements: a movement after a rest makes no statements for the days of the rest.
  const last = await readLastMovement(sql, book, previousEndsAt);
  const isExpected = last !== null && following <= addBankingDays(bankingDayOf(last), daysWithoutMovement);
  return isExpected ? following : dayOfFirst;
}

/** When the next statement of a book with a clock of its own is due: the morning after its banking day. */
export async function nextStatementDueAt(sql: Sql, book: BookId): Promise<Date | null> {
  const day = await nextStatementDay(sql, book, { hasOwnClock: true });
  return day === null ? null : localTime(addDays(day, 1), `0${issuedFromHour}:00`);
}
