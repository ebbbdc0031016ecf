import type { OrderStatus } from "../../../../contracts/http/payments/payment-order-parts.ts";
import { type BookId, idOf, type PaymentOrderId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { maskedAccountNumber, type Rail } from "../../../../contracts/rails/rails.ts";
import { afterPrefix, type Sql } from "../../../platform/persistence/sql.ts";

export interface OrderOfPayee {
  readonly id: PaymentOrderId;
  readonly counterpartyName: string;
  readonly externalId: string | null;
  readonly status: OrderStatus;
  readonly amountCents: number;
  readonly rail: Rail;
  readonly counterpartyAccountNumber: string | null;
  readonly createdAt: string;
}

/** Exactly the expression of the index payment_order_by_payee. */
const key = (text: string) => `casefold(${text} collate pg_unicode_fast) collate "C"`;

/** Exactly the predicate of that index: only phases in which an order waits for people or its rail, or has ended. */
const isIndexed = `p.counterparty_id is null
       and p.counterparty_name is not null
       and p.phase in (
         'Draft', 'AwaitingApproval', 'AwaitingWindow', 'InFlight', 'AwaitingReturns', 'Completed', 'Failed',
         'Returned', 'Cancelled'
       )`;

/**
 * Orders without a counterparty whose payee's name begins with the prefix, whatever the case: by name, the newest
 * first. The limit is written into the statement: with a parameter, Postgres plans to read the whole book.
 */
export async function findByPayee(
  sql: Sql,
  book: BookId,
  prefix: string,
  limit: number,
): Promise<OrderOfPayee[]> {
  const rows = await sql<{
    id: string;
    name: string;
    external_id: string | null;
    status: OrderStatus;
    amount_cents: bigint;
    rail: Rail;
    last4: string | null;
    created_at: Date;
  }>(
    `select p.id, p.counterparty_name as name, p.external_id, p.status, p.amount_cents, p.rail,
       p.counterparty_account ->> 'last4' as last4, p.created_at
     from payment_order p
     where p.book_id = $1
       and ${isIndexed}
       and ${key("p.counterparty_name")} >= ${key("$2::text")}
       and ${key("p.counterparty_name")} < ${key("$3::text")}
     order by ${key("p.counterparty_name")}, p.id desc
     limit ${String(limit)}`,
    [uuidOf(book), prefix, afterPrefix(prefix)],
  );
  return rows.map(({ last4, ...row }) => ({
    id: idOf("po", row.id),
    counterpartyName: row.name,
    externalId: row.external_id,
    status: row.status,
    amountCents: Number(row.amount_cents),
    rail: row.rail,
    counterpartyAccountNumber: last4 === null ? null : maskedAccountNumber(last4),
    createdAt: row.created_at.toISOString(),
  }));
}
