import { type BookId, idOf, uuidOf } from "../../../contracts/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { Layer, Role, Side } from "../domain/account.ts";
import type { Entry, Journal, JournalKind, Line } from "../domain/journal.ts";
import { type CounterColumns, countersOf } from "./accounts.ts";
import { column } from "./column.ts";

export interface BookHead {
  readonly book: BookId;
  readonly uuid: string;
  readonly lastSequence: number;
  readonly head: string;
}

/** The heads of the books to prove; all of them unless one is named. */
export async function readHeads(sql: Sql, only: BookId | undefined): Promise<BookHead[]> {
  const rows = await sql<{ book_id: string; last_seq: bigint; head: string }>(
    `select book_id, last_seq, encode(head_hash, 'hex') as head
     from book_head
     where $1::uuid is null or book_id = $1
     order by book_id`,
    [only === undefined ? null : uuidOf(only)],
  );
  return rows.map((row) => ({
    book: idOf("book", row.book_id),
    uuid: row.book_id,
    lastSequence: Number(row.last_seq),
    head: row.head,
  }));
}

/** A journal as it rests, with the digest and, where a batch ended with it, the seal's head. */
export interface StoredJournal {
  readonly journal: Journal;
  readonly digest: string;
  readonly sealedHead: string | null;
}

interface StoredRow extends CounterColumns {
  seq: bigint;
  kind: JournalKind;
  transaction_id: string;
  order_id: string | null;
  command_id: string;
  resolves_seq: bigint | null;
  reverses_seq: bigint | null;
  effective_at: Date;
  digest: string;
  sealed_head: string | null;
  line: number;
  account_id: string;
  currency: string;
  layer: Layer;
  role: Role;
  direction: Side;
  amount_cents: bigint;
  account_version: bigint;
}

/** The journals after `sequence`, at most `count` of them, in order. */
export async function readJournals(
  sql: Sql,
  book: BookId,
  sequence: number,
  count: number,
): Promise<StoredJournal[]> {
  const rows = await sql<StoredRow>(
    `select j.seq, j.kind, j.transaction_id, j.order_id, j.command_id, j.resolves_seq, j.reverses_seq, j.effective_at,
       encode(j.digest, 'hex') as digest, encode(s.head_hash, 'hex') as sealed_head,
       e.line, e.account_id, e.currency, e.layer, e.role, e.direction, e.amount_cents, e.account_version,
       e.held_debit, e.held_credit, e.released_debit, e.released_credit, e.posted_debit, e.posted_credit
     from journal j
     join entry e on e.book_id = j.book_id and e.seq = j.seq
     left join seal s on s.book_id = j.book_id and s.last_seq = j.seq
     where j.book_id = $1
       and j.seq > $2
       and j.seq <= $3
     order by j.seq, e.line`,
    [uuidOf(book), sequence, sequence + count],
  );
  const found: { journal: Journal & { entries: Entry[] }; digest: string; sealedHead: string | null }[] = [];
  for (const row of rows) {
    if (found.at(-1)?.journal.sequence !== Number(row.seq)) {
      found.push({ journal: headerOf(book, row), digest: row.digest, sealedHead: row.sealed_head });
    }
    found.at(-1)?.journal.entries.push(entryOf(row));
  }
  return found;
}

function headerOf(book: BookId, row: StoredRow): Journal & { entries: Entry[] } {
  return {
    book,
    sequence: Number(row.seq),
    kind: row.kind,
    transactionId: idOf("lt", row.transaction_id),
    orderId: row.order_id === null ? null : idOf("po", row.order_id),
    commandId: row.command_id,
    resolves: row.resolves_seq === null ? null : Number(row.resolves_seq),
    reverses: row.reverses_seq === null ? null : Number(row.reverses_seq),
    effectiveAt: row.effective_at.toISOString(),
    entries: [],
  };
}

function entryOf(row: StoredRow): Entry {
  return {
    line: row.line,
    accountId: idOf("la", row.account_id),
    currency: row.currency,
    layer: row.layer,
    role: row.role,
    direction: row.direction,
    amountCents: row.amount_cents,
    version: Number(row.account_version),
    totals: countersOf(row),
  };
}

/** The lines of those journals, in order, for comparing what resolves or reverses them. */
export async function readLines(
  sql: Sql,
  book: BookId,
  sequences: readonly number[],
): Promise<Map<number, Line[]>> {
  const rows = await sql<
    Pick<StoredRow, "seq" | "account_id" | "currency" | "layer" | "role" | "direction" | "amount_cents">
  >(
    `select e.seq, e.account_id, e.currency, e.layer, e.role, e.direction, e.amount_cents
     from unnest($2::bigint[]) as u (seq)
     cross join lateral (select * from entry x where x.book_id = $1 and x.seq = u.seq offset 0) e
     order by e.seq, e.line`,
    [uuidOf(book), column(sequences)],
  );
  const found = new Map<number, Line[]>();
  for (const row of rows) {
    const lines = found.get(Number(row.seq)) ?? [];
    lines.push({
      accountId: idOf("la", row.account_id),
      currency: row.currency,
      layer: row.layer,
      role: row.role,
      direction: row.direction,
      amountCents: row.amount_cents,
    });
    found.set(Number(row.seq), lines);
  }
  return found;
}
