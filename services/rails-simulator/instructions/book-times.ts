import type { BookId } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { readSimulatedBooks, type SimulatedBook } from "../rules/store/simulated-books.ts";

export type BookTimes = (book: BookId) => SimulatedBook;

/** What time it is in Test books when it is `realNow` outside. */
export function readBookTimes(
  sql: Sql,
  of: readonly { readonly book: BookId }[],
  realNow = realTime(),
): Promise<BookTimes> {
  return readSimulatedBooks(
    sql,
    of.map(({ book }) => book),
    realNow,
  );
}
