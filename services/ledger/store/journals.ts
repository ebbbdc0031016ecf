import { uuidOf } from "../../../contracts/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { digestOf } from "../domain/canonical.ts";
import type { Journal } from "../domain/journal.ts";
import { column } from "./column.ts";

/**
 * Appends journals, entries first: the database works out the running totals again and moves the balances (0003), and
 * the headers close the batch (0004). Throws the driver's error with an `LG…` code where the two computations differ;
 * nothing of the batch stands then.
 */
export async function appendJournals(sql: Sql, journals: readonly Journal[]): Promise<void> {
  if (journals.length === 0) return;
  await insertEntries(sql, journals);
  await insertHeaders(sql, journals);
}

async function insertEntries(sql: Sql, journals: readonly Journal[]): Promise<void> {
  const entries = journals.flatMap((journal) =>
    journal.entries.map((entry) => ({ ...entry, book: uuidOf(journal.book), sequence: journal.sequence })),
  );
  await sql(
    `insert into entry (book_id, seq, line, account_id, currency, layer, role, direction, amount_cents,
       account_version, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit)
     select * from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::uuid[], $5::text[], $6::layer[],
       $7::entry_role[], $8::side[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
       $14::bigint[], $15::bigint[], $16::bigint[])`,
    [
      column(entries.map(({ book }) => book)),
      column(entries.map(({ sequence }) => sequence)),
      column(entries.map(({ line }) => line)),
      column(entries.map(({ accountId }) => uuidOf(accountId))),
      column(entries.map(({ currency }) => currency)),
      column(entries.map(({ layer }) => layer)),
      column(entries.map(({ role }) => role)),
      column(entries.map(({ direction }) => direction)),
      column(entries.map(({ amountCents }) => amountCents)),
      column(entries.map(({ version }) => version)),
      column(entries.map(({ totals }) => totals.heldDebit)),
      column(entries.map(({ totals }) => totals.heldCredit)),
      column(entries.map(({ totals }) => totals.releasedDebit)),
      column(entries.map(({ totals }) => totals.releasedCredit)),
      column(entries.map(({ totals }) => totals.postedDebit)),
      column(entries.map(({ totals }) => totals.postedCredit)),
    ],
  );
}

/** `recorded_at` is the database's: one clock reading a batch, never at or before the head's, a microsecond a journal. */
async function insertHeaders(sql: Sql, journals: readonly Journal[]): Promise<void> {
  await sql(
    `insert into journal (book_id, seq, kind, transaction_id, order_id, command_id, resolves_seq, reverses_seq,
       effective_at, line_count, digest, recorded_at)
     select u.book_id, u.seq, u.kind, u.transaction_id, u.order_id, u.command_id, u.resolves_seq, u.reverses_seq,
       u.effective_at, u.line_count, decode(u.digest, 'hex'),
       greatest(h.recorded_at, clock.reading) + (u.seq - h.last_seq) * interval '1 microsecond'
     from (select clock_timestamp() as reading) clock
     cross join unnest($1::uuid[], $2::bigint[], $3::journal_kind[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bigint[],
       $8::bigint[], $9::timestamptz[], $10::smallint[], $11::text[])
       as u (book_id, seq, kind, transaction_id, order_id, command_id, resolves_seq, reverses_seq, effective_at,
         line_count, digest)
     cross join lateral (
       select x.last_seq, x.recorded_at from book_head x where x.book_id = u.book_id offset 0
     ) h`,
    [
      column(journals.map(({ book }) => uuidOf(book))),
      column(journals.map(({ sequence }) => sequence)),
      column(journals.map(({ kind }) => kind)),
      column(journals.map(({ transactionId }) => uuidOf(transactionId))),
      column(journals.map(({ orderId }) => (orderId === null ? null : uuidOf(orderId)))),
      column(journals.map(({ commandId }) => commandId)),
      column(journals.map(({ resolves }) => resolves)),
      column(journals.map(({ reverses }) => reverses)),
      column(journals.map(({ effectiveAt }) => effectiveAt)),
      column(journals.map(({ entries }) => entries.length)),
      column(journals.map(digestOf)),
    ],
  );
}
