import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { nextStatementDueAt } from "../statements/next-statement.ts";
import { nextStepDueAt } from "./store/next-step.ts";

/** When the simulator has something to do for a book, on the book's clock. */
export async function nextDueOfBook(sql: Sql, book: BookId): Promise<Date | null> {
  const [step, statement] = await Promise.all([nextStepDueAt(sql, book), nextStatementDueAt(sql, book)]);
  if (step === null || statement === null) return step ?? statement;
  return step < statement ? step : statement;
}
