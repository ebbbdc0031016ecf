import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Violation } from "../domain/hash-chain.ts";
import type { BookState } from "../../posting/store/lock-books.ts";

/** A word about a book's state. */
export interface FreezeWord {
  readonly state: BookState;
  readonly reason: string;
  /** `auditor`, `ledger`, or `operator:` and a name. */
  readonly by: string;
  readonly faults?: readonly Violation[];
}

/**
 * Says it for ever, and gives its number in the book. The head must be locked. Throws the driver's LG021 where the
 * state does not permit it, LG022 where a book would open over commands that wait.
 */
export async function appendWord(sql: Sql, book: BookId, word: FreezeWord): Promise<number> {
  const [row] = await sql<{ number: number }>(
    `insert into freeze_event (book_id, number, state, reason, actor, violations)
     select $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5
     from freeze_event
     where book_id = $1
     returning number`,
    [uuidOf(book), word.state, word.reason, word.by, JSON.stringify(word.faults ?? [])],
  );
  if (row === undefined) throw new TypeError("an insert that throws nothing gives its row");
  return row.number;
}

/** The books that are not open, by id. */
export async function examinedBooks(
  sql: Sql,
): Promise<{ readonly book: BookId; readonly state: BookState }[]> {
  const rows = await sql<{ book_id: string; state: BookState }>(
    "select book_id, state from book_head where state <> 'Open' order by book_id",
  );
  return rows.map(({ book_id, state }) => ({ book: idOf("book", book_id), state }));
}
