import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { recheckIsDueAt } from "../instructions/store/payment-rechecks.ts";
import { nextOutageEnd } from "../rules/store/outages.ts";
import { nextStatementDueAt } from "../statements/next-statement.ts";
import { nextStepDueAt } from "./store/next-step.ts";

/** When the simulator has something to do for a book, on the book's clock. */
export async function nextDueOfBook(sql: Sql, book: BookId): Promise<Date | null> {
  const due = await Promise.all([
    nextStepDueAt(sql, book),
    nextStatementDueAt(sql, book),
    nextOutageEnd(sql, book),
    recheckIsDueAt(sql, book),
  ]);
  const times = due.flatMap((at) => (at === null ? [] : [at.getTime()]));
  return times.length === 0 ? null : new Date(Math.min(...times));
}
