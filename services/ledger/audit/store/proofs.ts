import { uuidOf, type BookId } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Violation } from "../../book/violation.ts";
import type { BookState } from "../../posting/store/lock-books.ts";

export interface ProofRow {
  as_of: Date;
  last_seq: bigint;
  head: string;
  state: BookState;
  audited_seq: bigint;
  audited_at: Date | null;
  scanned_at: Date | null;
  checkpoint_first_seq: bigint | null;
  checkpoint_last_seq: bigint | null;
  checkpoint_head: string | null;
  checkpoint_at: Date | null;
  frozen_at: Date | null;
  violations: Violation[] | null;
}

/** The stored state of a book's proof; undefined if the book does not exist. A few lookups by key. */
export async function readProof(sql: Sql, book: BookId): Promise<ProofRow | undefined> {
  const [row] = await sql<ProofRow>(
    `select statement_timestamp() as as_of, h.last_seq, encode(h.head_hash, 'hex') as head, h.state,
       a.audited_seq, a.audited_at, a.scanned_at, c.first_seq as checkpoint_first_seq, c.last_seq as checkpoint_last_seq,
       encode(c.head_hash, 'hex') as checkpoint_head, c.recorded_at as checkpoint_at, f.recorded_at as frozen_at,
       f.violations
     from book_head h
     join audit a on a.book_id = h.book_id
     left join lateral (
       select * from checkpoint x where x.book_id = h.book_id order by x.last_seq desc limit 1
     ) c on true
     left join lateral (
       select *
       from freeze_event x
       where h.state <> 'Open' and x.book_id = h.book_id and x.state = 'Frozen'
       order by x.number desc
       limit 1
     ) f on true
     where h.book_id = $1`,
    [uuidOf(book)],
  );
  return row;
}
