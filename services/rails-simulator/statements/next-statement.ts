import { addDays, bankingDayOf, localTime } from "../../../contracts/rails/banking-calendar.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { readLastStatement } from "./store/bank-statements.ts";
import { readFirstUnreported } from "./store/unreported-movements.ts";

/** In New York. The files of the night have arrived by this hour. */
export const issuedFromHour = 6;

/** The banking day whose statement has the movement: one that arrived after its own is on the next. */
export function dayOfMovement(occurredAt: Date, previousEndsAt: Date | null): string {
  return bankingDayOf(new Date(Math.max(occurredAt.getTime(), previousEndsAt?.getTime() ?? 0)));
}

/** When a book's next statement is due: the morning after the banking day of a movement that is on none. */
export async function nextStatementDueAt(sql: Sql, book: BookId): Promise<Date | null> {
  const previous = await readLastStatement(sql, book);
  const previousEndsAt = previous === undefined ? null : new Date(previous.endsAt);
  const first = await readFirstUnreported(sql, book, previousEndsAt);
  if (first === null) return null;
  return localTime(addDays(dayOfMovement(first, previousEndsAt), 1), `0${issuedFromHour}:00`);
}
