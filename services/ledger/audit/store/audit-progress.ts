import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { ChainState } from "../domain/hash-chain.ts";
import type { ClassTotal } from "../../book/accounting-equation.ts";
import type { ChainHead } from "./read-journals.ts";

/**
 * The transaction reads one snapshot. Its statements are planned for a page of this book: a plan that was kept may suit
 * the size of another one.
 */
export async function beginPage(sql: Sql): Promise<void> {
  await Promise.all([
    sql("set transaction isolation level repeatable read"),
    sql("set local plan_cache_mode = auto"),
  ]);
}

/** The progress of verifying a book's journals. */
export interface JournalProgress {
  readonly chain: ChainState;
  readonly classes: readonly ClassTotal[];
}

/** The progress of a full scan: journals first, then every balance, every obligation, every command. */
export interface ScanProgress {
  readonly phase: "Journals" | "Accounts" | "Obligations" | "Commands";
  /** In the journals, from the first. Stored under this name. */
  readonly tail: JournalProgress;
  /** The last account, obligation or command that was verified. */
  readonly after: string;
}

/** The auditor's progress in a book; null before its first page. */
export interface AuditProgress {
  /** In the journals as they are appended. */
  readonly tail: JournalProgress | null;
  readonly scan: ScanProgress | null;
  readonly scanIsDue: boolean;
}

export interface HeadToAudit {
  readonly uuid: string;
  readonly book: BookId;
  readonly unauditedJournals: number;
  readonly due: boolean;
  /** The book has journals after its last published checkpoint, which is old enough for another one. */
  readonly publishIsDue: boolean;
}

/** The next books after `after`, by stored id, and which of them are due. A book that is not open is never due. */
export async function headsToAudit(
  sql: Sql,
  after: string,
  count: number,
  { scannedBefore, publishedBefore }: { readonly scannedBefore: Date; readonly publishedBefore: Date },
): Promise<HeadToAudit[]> {
  const rows = await sql<{ book_id: string; unaudited: bigint; due: boolean; publish_is_due: boolean }>(
    `select h.book_id, h.last_seq - a.audited_seq as unaudited,
       h.state = 'Open' and (
         a.audited_seq <> h.last_seq or a.scan is not null
         or a.scanned_at is null or a.scanned_at < $3 or t.due
       ) as due,
       t.due as publish_is_due
     from (select * from book_head x where x.book_id > $1 order by x.book_id limit $2) h
     cross join lateral (select * from audit x where x.book_id = h.book_id offset 0) a
     cross join lateral (select a.published_seq < h.last_seq and coalesce(a.published_at < $4, true) as due) t
     order by h.book_id`,
    [after, count, scannedBefore, publishedBefore],
  );
  return rows.map(({ book_id: uuid, unaudited, due, publish_is_due: publishIsDue }) => ({
    uuid,
    book: idOf("book", uuid),
    unauditedJournals: Number(unaudited),
    due,
    publishIsDue,
  }));
}

/** Locks the progress of a book and reads it with the head; null if another instance has it or the book is not open. */
export async function claimAudit(
  sql: Sql,
  book: BookId,
  scannedBefore: Date,
): Promise<{ readonly audit: AuditProgress; readonly head: ChainHead } | null> {
  const [row] = await sql<{
    last_seq: bigint;
    head: string;
    tail: unknown;
    scan: unknown;
    scan_is_due: boolean;
  }>(
    `select h.last_seq, encode(h.head_hash, 'hex') as head, a.tail, a.scan,
       coalesce(a.scanned_at < $2, true) as scan_is_due
     from audit a
     join book_head h on h.book_id = a.book_id
     where a.book_id = $1
       and h.state = 'Open'
     for update of a skip locked`,
    [uuidOf(book), scannedBefore],
  );
  if (row === undefined) return null;
  return {
    head: { book, uuid: uuidOf(book), lastSequence: Number(row.last_seq), head: row.head },
    audit: {
      tail: deserialized(row.tail) as JournalProgress | null,
      scan: deserialized(row.scan) as ScanProgress | null,
      scanIsDue: row.scan_is_due,
    },
  };
}

/** Saves the progress, and the time when it reached the head or finished a scan. */
export async function saveAudit(
  sql: Sql,
  head: ChainHead,
  to: { readonly tail: JournalProgress; readonly scan: ScanProgress | null; readonly scanEnded: boolean },
): Promise<void> {
  const { sequence } = to.tail.chain;
  await sql(
    `update audit
     set audited_seq = $2, tail = $3, scan = $4,
       audited_at = case when $5 then clock_timestamp() else audited_at end,
       scanned_at = case when $6 then clock_timestamp() else scanned_at end
     where book_id = $1`,
    [
      head.uuid,
      sequence,
      serialized(to.tail),
      to.scan === null ? null : serialized(to.scan),
      sequence === head.lastSequence,
      to.scanEnded,
    ],
  );
}

/** JSON has no bigint, so a bigint is stored as text that ends in `n`. */
function serialized(state: JournalProgress | ScanProgress): string {
  return JSON.stringify(state, (_key, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}
function deserialized(state: unknown): unknown {
  return JSON.parse(JSON.stringify(state), (_key, value: unknown) =>
    typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
}
