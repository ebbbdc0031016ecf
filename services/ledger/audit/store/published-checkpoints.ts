import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { BookHeads } from "../../../../contracts/messages/books.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { readAccountsHead } from "./account-chain.ts";

/**
 * Returns the newest checkpoint that the auditor has verified, and records it as published. Null if it was published
 * already, or if another one was published after `publishedBefore`.
 */
export async function takeUnpublishedCheckpoint(
  sql: Sql,
  book: BookId,
  publishedBefore: Date,
): Promise<BookHeads | null> {
  const [row] = await sql<{ journals: bigint; head: string }>(
    `update audit a
     set published_seq = c.last_seq, published_at = clock_timestamp()
     from (
       select s.last_seq, encode(s.head_hash, 'hex') as head
       from audit x
       join checkpoint s on s.book_id = x.book_id and s.last_seq <= x.audited_seq
       where x.book_id = $1
       order by s.last_seq desc
       limit 1
     ) c
     where a.book_id = $1
       and a.published_seq < c.last_seq
       and coalesce(a.published_at < $2, true)
     returning c.last_seq as journals, c.head`,
    [uuidOf(book), publishedBefore],
  );
  const accounts = row === undefined ? null : await readAccountsHead(sql, uuidOf(book));
  return row === undefined || accounts === null
    ? null
    : { journals: Number(row.journals), head: row.head, ...accounts };
}

/** The heads that the book has at these places, in the same order; null where it has none, or no longer. */
export async function headsAt(
  sql: Sql,
  book: BookId,
  places: readonly Pick<BookHeads, "journals" | "accounts">[],
): Promise<{ readonly head: string | null; readonly accountsHead: string | null }[]> {
  const rows = await sql<{ head: string | null; accounts_head: string | null }>(
    `select encode(s.head_hash, 'hex') as head, encode(c.head_hash, 'hex') as accounts_head
     from unnest($2::bigint[], $3::int[]) with ordinality as u (journals, accounts, number)
     left join lateral (
       select x.head_hash from checkpoint x where x.book_id = $1 and x.last_seq = u.journals offset 0
     ) s on true
     left join lateral (
       select x.head_hash from account_chain x where x.book_id = $1 and x.position = u.accounts offset 0
     ) c on true
     order by u.number`,
    [
      uuidOf(book),
      arrayLiteral(places.map(({ journals }) => journals)),
      arrayLiteral(places.map(({ accounts }) => accounts)),
    ],
  );
  return rows.map(({ head, accounts_head: accountsHead }) => ({ head, accountsHead }));
}
