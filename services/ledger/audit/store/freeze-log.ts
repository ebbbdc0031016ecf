import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Violation } from "../../book/violation.ts";
import type { BookState } from "../../posting/store/lock-books.ts";

/** A change of a book's state, as the table `freeze_event` keeps it. */
export interface BookStateChange {
  readonly state: BookState;
  readonly reason: string;
  /** `auditor`, `ledger`, or `operator:` and a name. */
  readonly actor: string;
  readonly violations?: readonly Violation[];
}

/**
 * Appends a change to the book's freeze log and returns its number in the book. The caller holds the head's lock.
 * Throws the driver's LG021 if the state does not permit it, LG022 if a book would open with deferred commands left.
 */
export async function appendStateChange(sql: Sql, book: BookId, change: BookStateChange): Promise<number> {
  const [row] = await sql<{ number: number }>(
    `insert into freeze_event (book_id, number, state, reason, actor, violations)
     select $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5
     from freeze_event
     where book_id = $1
     returning number`,
    [uuidOf(book), change.state, change.reason, change.actor, JSON.stringify(change.violations ?? [])],
  );
  if (row === undefined) throw new TypeError("the insert returned no row");
  return row.number;
}

/** The books that are frozen or being unfrozen, by id. */
export async function booksNotOpen(
  sql: Sql,
): Promise<{ readonly book: BookId; readonly state: BookState }[]> {
  const rows = await sql<{ book_id: string; state: BookState }>(
    "select book_id, state from book_head where state <> 'Open' order by book_id",
  );
  return rows.map(({ book_id, state }) => ({ book: idOf("book", book_id), state }));
}

/** Whether the book ends at this journal, with this head of the hash chain (hexadecimal). */
export async function isChainHead(sql: Sql, book: BookId, sequence: number, head: string): Promise<boolean> {
  const rows = await sql(
    `select
     from book_head
     where book_id = $1
       and last_seq = $2
       and encode(head_hash, 'hex') = $3`,
    [uuidOf(book), sequence, head],
  );
  return rows.length > 0;
}
