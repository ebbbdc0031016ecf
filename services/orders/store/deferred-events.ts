import {
  type BookId,
  idOf,
  type LedgerTransactionId,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { AnyFact } from "../../../contracts/message.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { PaymentOrder } from "../order/payment-order.ts";

type OrderKey = Pick<PaymentOrder, "book" | "id">;

/** Keeps facts that came before their phase. The order's row lock guards them. */
export async function keepEarly(sql: Sql, facts: readonly AnyFact[]): Promise<void> {
  if (facts.length === 0) return;
  await sql(
    `insert into early_fact (book_id, order_id, fact_id, fact)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::jsonb[])
     on conflict do nothing`,
    [
      facts.map((fact) => uuidOf(fact.book)),
      facts.map((fact) => uuidOf(fact.subject as PaymentOrderId)),
      facts.map((fact) => fact.id),
      facts.map((fact) => JSON.stringify(fact)),
    ],
  );
}

/** The early facts of these orders, oldest first. The table is all but empty, so every batch may ask. */
export async function readEarly(sql: Sql, orders: readonly OrderKey[]): Promise<AnyFact[]> {
  const keys = [...new Map(orders.map((order) => [`${order.book}/${order.id}`, order])).values()];
  const rows = await sql<{ fact: AnyFact }>(
    `select e.fact
     from unnest($1::uuid[], $2::uuid[]) as k (book_id, order_id)
     cross join lateral (
       select * from early_fact f
       where f.book_id = k.book_id
         and f.order_id = k.order_id
       offset 0
     ) e
     order by e.received_at, e.fact_id`,
    [keys.map((order) => uuidOf(order.book)), keys.map((order) => uuidOf(order.id))],
  );
  return rows.map((row) => row.fact);
}

export async function forgetEarly(sql: Sql, facts: readonly AnyFact[]): Promise<void> {
  if (facts.length === 0) return;
  await sql("delete from early_fact where fact_id = any ($1::uuid[])", [facts.map((fact) => fact.id)]);
}

/** A fact for a person, with the ledger transaction that has what it moved where it moved something. */
export interface ParkedFact {
  readonly fact: AnyFact;
  readonly reason: string;
  readonly ledgerTransactionId?: LedgerTransactionId | undefined;
}

/** Parks facts that fit nothing that can still come. */
export async function park(sql: Sql, facts: readonly ParkedFact[]): Promise<void> {
  if (facts.length === 0) return;
  await sql(
    `insert into parked_fact (fact_id, book_id, order_id, reason, fact, ledger_transaction_id)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::uuid[])
     on conflict do nothing`,
    [
      facts.map(({ fact }) => fact.id),
      facts.map(({ fact }) => uuidOf(fact.book)),
      facts.map(({ fact }) => fact.subject),
      facts.map(({ reason }) => reason),
      facts.map(({ fact }) => JSON.stringify(fact)),
      facts.map(({ ledgerTransactionId }) =>
        ledgerTransactionId === undefined ? null : uuidOf(ledgerTransactionId),
      ),
    ],
  );
}

/** Notes which journal each of these transactions was posted as, for whoever reads the parked facts. */
export async function noteJournals(
  sql: Sql,
  posted: readonly { book: BookId; transactionId: LedgerTransactionId; sequence: number }[],
): Promise<void> {
  await sql(
    `update parked_fact p
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

/**
 * The orders whose stray movements were parked before `before` and have no journal yet; those that another instance
 * reminds of are skipped. Read from the index of parked movements, which are few.
 */
export async function claimUnpostedStrays(sql: Sql, before: Date, limit: number): Promise<OrderKey[]> {
  const rows = await sql<{ book_id: string; order_id: PaymentOrderId }>(
    `select book_id, order_id
     from parked_fact
     where ledger_transaction_id is not null
       and journal_sequence is null
       and parked_at < $1
     limit $2
     for update skip locked`,
    [before, limit],
  );
  return rows.map((row) => ({ book: idOf("book", row.book_id), id: row.order_id }));
}
