import type { BookId } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { endWaitsOfInstantBook, moveDueTimesToBook } from "./store/due-in-book.ts";

/** What orders wait for follows the clock of their book, in the transaction that stores the clock. */
export async function followClock(
  sql: Sql,
  book: BookId,
  { first }: { readonly first: boolean },
): Promise<void> {
  if (first) await moveDueTimesToBook(sql, book);
  await endWaitsOfInstantBook(sql, book, realTime());
}
