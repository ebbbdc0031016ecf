import {
  type BookId,
  idOf,
  type LedgerTransactionId,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import type { BookFilter } from "../../platform/handlers/batch-by-book.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

/** An event that a person must look at. If it moved money, it names the ledger transaction in Suspense. */
export interface ParkedEvent {
  readonly event: AnyMessage;
  readonly reason: string;
  readonly ledgerTransactionId?: LedgerTransactionId | undefined;
}

/** Parks events that no phase that can still come expects, or that moved money after the order had ended. */
export async function insertParked(sql: Sql, events: readonly ParkedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await sql(
    `insert into parked_event (message_id, book_id, order_id, reason, event, ledger_transaction_id)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::uuid[])
     on conflict do nothing`,
    [
      events.map(({ event }) => event.id),
      events.map(({ event }) => uuidOf(event.book)),
      events.map(({ event }) => event.subject),
      events.map(({ reason }) => reason),
      events.map(({ event }) => JSON.stringify(event)),
      events.map(({ ledgerTransactionId }) =>
        ledgerTransactionId === undefined ? null : uuidOf(ledgerTransactionId),
      ),
    ],
  );
}

/** Records the journal of each posted transaction, for whoever reads the parked events. */
export async function updateJournalSequences(
  sql: Sql,
  posted: readonly { book: BookId; transactionId: LedgerTransactionId; sequence: number }[],
): Promise<void> {
  await sql(
    `update parked_event p
     set journal_sequence = n.sequence
     from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as n (book_id, transaction_id, sequence)
     where p.book_id = n.book_id
       and p.ledger_transaction_id = n.transaction_id`,
    [
      posted.map(({ book }) => uuidOf(book)),
      posted.map(({ transactionId }) => uuidOf(transactionId)),
      posted.map(({ sequence }) => sequence),
    ],
  );
}

/** A movement among those of all books, in the order in which they are claimed. */
export interface MovementKey {
  readonly book: BookId;
  readonly ledgerTransactionId: LedgerTransactionId;
}

/** An unexpected movement without a journal, and its order. */
export interface UnpostedMovement extends MovementKey {
  readonly id: PaymentOrderId;
}

/**
 * Claims the next `limit` movements after `after` that were parked before `before` and have no journal yet. Skips those
 * that another instance has claimed.
 */
export async function claimUnpostedMovements(
  sql: Sql,
  before: Date,
  { after, limit }: { readonly after: MovementKey | undefined; readonly limit: number },
  filter: BookFilter,
): Promise<UnpostedMovement[]> {
  const rows = await sql<{ book_id: string; ledger_transaction_id: string; order_id: PaymentOrderId }>(
    `select book_id, ledger_transaction_id, order_id
     from parked_event
     where ledger_transaction_id is not null
       and (book_id, ledger_transaction_id) > ($5, $6)
       and journal_sequence is null
       and parked_at < $1
       and (book_id = any ($3::uuid[])) is not distinct from $4
     order by book_id, ledger_transaction_id
     limit $2
     for update skip locked`,
    [
      before,
      limit,
      filter.books.map(uuidOf),
      filter.only,
      after === undefined ? belowAllUuids : uuidOf(after.book),
      after === undefined ? belowAllUuids : uuidOf(after.ledgerTransactionId),
    ],
  );
  return rows.map((row) => ({
    book: idOf("book", row.book_id),
    ledgerTransactionId: idOf("lt", row.ledger_transaction_id),
    id: row.order_id,
  }));
}

/** Books with unexpected movements that were parked before `before` and have no journal yet, at most `limit`. */
export async function booksWithUnpostedMovements(
  sql: Sql,
  before: Date,
  limit: number,
  filter: BookFilter,
): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    `select distinct book_id
     from parked_event
     where ledger_transaction_id is not null
       and journal_sequence is null
       and parked_at < $1
       and (book_id = any ($3::uuid[])) is not distinct from $4
     limit $2`,
    [before, limit, filter.books.map(uuidOf), filter.only],
  );
  return rows.map((row) => idOf("book", row.book_id));
}

/** How many parked events no operator has decided on. */
export async function countUndecided(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int as count
     from parked_event e
     where not exists (select from parked_event_decision d where d.message_id = e.message_id)`,
  );
  return row?.count ?? 0;
}
