import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { BookHeads } from "../../../../contracts/messages/books.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** Stores what the ledger published. A repeat changes nothing. */
export async function insertLedgerCheckpoint(
  sql: Sql,
  book: BookId,
  { journals, head, accounts, accountsHead }: BookHeads,
): Promise<void> {
  await sql(
    `insert into ledger_checkpoint (book_id, journals, head_hash, accounts, accounts_head)
     values ($1, $2, decode($3, 'hex'), $4, decode($5, 'hex'))
     on conflict do nothing`,
    [uuidOf(book), journals, head, accounts, accountsHead],
  );
}

const pageSize = 5_000;

/** All that the ledger published of a book, oldest first, a page at a time. */
export async function* ledgerCheckpointsOf(sql: Sql, book: BookId): AsyncGenerator<BookHeads[]> {
  let after = 0;
  for (;;) {
    const rows = await sql<{ journals: bigint; head: string; accounts: number; accounts_head: string }>(
      // Rows with the same number of journals stay on one page.
      `select c.journals, encode(c.head_hash, 'hex') as head, c.accounts, encode(c.accounts_head, 'hex') as accounts_head
       from ledger_checkpoint c
       where c.book_id = $1
         and c.journals > $2
       order by c.journals
       fetch first $3 rows with ties`,
      [uuidOf(book), after, pageSize],
    );
    yield rows.map(({ journals, accounts_head: accountsHead, ...row }) => ({
      ...row,
      journals: Number(journals),
      accountsHead,
    }));
    after = Number(rows.at(-1)?.journals ?? 0);
    if (rows.length < pageSize) return;
  }
}

/** The books of which the ledger has published checkpoints. */
export async function booksWithCheckpoints(sql: Sql): Promise<BookId[]> {
  // A loose index scan: one probe per book, however many rows it has.
  const rows = await sql<{ book_id: string }>(
    `with recursive book as (
       (select book_id from ledger_checkpoint order by book_id limit 1)
       union all
       select (select c.book_id from ledger_checkpoint c where c.book_id > b.book_id order by c.book_id limit 1)
       from book b
       where b.book_id is not null
     )
     select book_id from book where book_id is not null`,
  );
  return rows.map(({ book_id }) => idOf("book", book_id));
}
