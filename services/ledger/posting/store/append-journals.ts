import type { Sql } from "../../../platform/persistence/sql.ts";
import { contentDigestOf } from "../../book/canonical.ts";
import type { Journal } from "../../book/journal.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import { idArray, uuidArray } from "../../../platform/persistence/uuid-array.ts";

/** The columns of `entry`, in the order of the insert. */
const entryColumns = [
  ["book_id", "uuid"],
  ["seq", "bigint"],
  ["line", "smallint"],
  ["account_id", "uuid"],
  ["currency", "text"],
  ["layer", "layer"],
  ["role", "entry_role"],
  ["direction", "side"],
  ["amount_cents", "bigint"],
  ["account_version", "bigint"],
  ["held_debit", "bigint"],
  ["held_credit", "bigint"],
  ["released_debit", "bigint"],
  ["released_credit", "bigint"],
  ["posted_debit", "bigint"],
  ["posted_credit", "bigint"],
] as const;
const insertEntriesText = `insert into entry (${entryColumns.map(([name]) => name).join(", ")})
  select * from unnest(${entryColumns.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ")})`;

/**
 * Inserts the entries of journals, before their headers. A trigger computes the running totals again and updates the
 * balances (`entries_move_balances`). If the two computations differ, it throws the driver's error with an `LG…` code,
 * and the transaction must be rolled back.
 */
export async function insertEntries(sql: Sql, journals: readonly Journal[]): Promise<void> {
  if (journals.length === 0) return;
  const columns: (string | number | bigint)[][] = entryColumns.map(() => []);
  for (const { book, sequence, entries } of journals) {
    for (const {
      line,
      accountId,
      currency,
      layer,
      role,
      direction,
      amountCents,
      version,
      totals,
    } of entries) {
      const row = [
        book,
        sequence,
        line,
        accountId,
        currency,
        layer,
        role,
        direction,
        amountCents,
        version,
        totals.heldDebit,
        totals.heldCredit,
        totals.releasedDebit,
        totals.releasedCredit,
        totals.postedDebit,
        totals.postedCredit,
      ];
      for (let index = 0; index < row.length; index += 1) columns[index]?.push(row[index] ?? "");
    }
  }
  const params = columns.map((values, index) =>
    entryColumns[index]?.[1] === "uuid" ? idArray(values as string[]) : arrayLiteral(values),
  );
  await sql(insertEntriesText, params);
}

/**
 * Inserts the headers of journals whose entries this transaction has inserted. A trigger checks the batch
 * (`headers_close_batch`), and throws as that of the entries does.
 *
 * `recorded_at` comes from the database's clock, read once per batch. It is always after the head's, and each journal
 * is a microsecond after the one before. A book's journals of one batch (at most 1,000) are in one millisecond, the
 * next one if they don't fit: balances as of a time are those of whole batches, and `createdAt` is in milliseconds. The
 * digest covers it, so Postgres computes the last step (`digestOf`).
 */
export async function insertHeaders(sql: Sql, journals: readonly Journal[]): Promise<void> {
  if (journals.length === 0) return;
  // In order of sequence in each book.
  const lastSequences = new Map(journals.map(({ book, sequence }) => [book, sequence]));
  await sql(
    `insert into journal (book_id, seq, kind, transaction_id, order_id, command_id, resolves_seq, reverses_seq,
       effective_at, line_count, digest, digest_version, recorded_at)
     select u.book_id, u.seq, u.kind, u.transaction_id, u.order_id, u.command_id, u.resolves_seq, u.reverses_seq,
       u.effective_at, u.line_count, sha256(decode(u.content_digest, 'hex') || timestamptz_send(t.recorded_at)), 2,
       t.recorded_at
     from (select clock_timestamp() as reading) clock
     cross join unnest($1::uuid[], $2::bigint[], $3::journal_kind[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bigint[],
       $8::bigint[], $9::timestamptz[], $10::smallint[], $11::text[])
       as u (book_id, seq, kind, transaction_id, order_id, command_id, resolves_seq, reverses_seq, effective_at,
         line_count, content_digest)
     join (
       select x.book_id, x.last_seq, x.recorded_at, b.last_seq - x.last_seq as journals
       from unnest($12::uuid[], $13::bigint[]) as b (book_id, last_seq)
       cross join lateral (select * from book_head y where y.book_id = b.book_id offset 0) x
     ) h on h.book_id = u.book_id
     cross join lateral (
       select case date_bin('1 millisecond', s.earliest, 'epoch')
           when date_bin('1 millisecond', s.earliest + (h.journals - 1) * interval '1 microsecond', 'epoch')
             then s.earliest
           else date_bin('1 millisecond', s.earliest + interval '1 millisecond', 'epoch')
         end + (u.seq - h.last_seq - 1) * interval '1 microsecond' as recorded_at
       from (
         select greatest(h.recorded_at, clock.reading) + interval '1 microsecond' as earliest
         offset 0
       ) s
       offset 0
     ) t`,
    [
      idArray(journals.map(({ book }) => book)),
      arrayLiteral(journals.map(({ sequence }) => sequence)),
      arrayLiteral(journals.map(({ kind }) => kind)),
      idArray(journals.map(({ transactionId }) => transactionId)),
      idArray(journals.map(({ orderId }) => orderId)),
      uuidArray(journals.map(({ commandId }) => commandId)),
      arrayLiteral(journals.map(({ resolves }) => resolves)),
      arrayLiteral(journals.map(({ reverses }) => reverses)),
      arrayLiteral(journals.map(({ effectiveAt }) => effectiveAt)),
      arrayLiteral(journals.map(({ entries }) => entries.length)),
      arrayLiteral(journals.map(contentDigestOf)),
      idArray([...lastSequences.keys()]),
      arrayLiteral([...lastSequences.values()]),
    ],
  );
}
