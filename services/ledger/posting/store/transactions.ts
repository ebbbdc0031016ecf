import {
  type BookId,
  idOf,
  type InboundPaymentId,
  type LedgerTransactionId,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Layer, Side } from "../../book/account.ts";
import type { ManualDetails, Transaction } from "../../book/book-state.ts";
import type { Basis } from "../../book/commands.ts";
import type { Line, OpeningKind } from "../../book/journal.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import { idArray } from "../../../platform/persistence/uuid-array.ts";

interface TransactionLineRow {
  book_id: string;
  transaction_id: string;
  order_id: string | null;
  opening_seq: bigint;
  opening_kind: OpeningKind;
  resolution_seq: bigint | null;
  resolution_kind: "Settle" | "Release" | null;
  reversal_seq: bigint | null;
  account_id: string;
  currency: string;
  layer: Layer;
  direction: Side;
  amount_cents: bigint;
}

/** Transactions with their steps, by key; transactions that do not exist are left out. */
export async function readTransactions(
  sql: Sql,
  keys: readonly { readonly book: BookId; readonly id: LedgerTransactionId }[],
): Promise<{ book: BookId; transaction: Transaction }[]> {
  if (keys.length === 0) return [];
  const rows = await sql<TransactionLineRow>("select * from read_transactions($1::uuid[], $2::uuid[])", [
    idArray(keys.map(({ book }) => book)),
    idArray(keys.map(({ id }) => id)),
  ]);
  const found: { book: BookId; transaction: Transaction }[] = [];
  let lines: Line[] = [];
  let last: TransactionLineRow | undefined;
  // One row per line, sorted by transaction: the first row of a transaction creates it, the others add lines.
  for (const row of rows) {
    if (row.transaction_id !== last?.transaction_id || row.book_id !== last.book_id) {
      lines = [];
      found.push({ book: idOf("book", row.book_id), transaction: transactionOf(row, lines) });
    }
    lines.push({
      accountId: idOf("la", row.account_id),
      currency: row.currency,
      layer: row.layer,
      role: "Normal",
      direction: row.direction,
      amountCents: row.amount_cents,
    });
    last = row;
  }
  return found;
}

function transactionOf(row: TransactionLineRow, lines: readonly Line[]): Transaction {
  const { opening_seq, opening_kind, resolution_seq, resolution_kind, reversal_seq } = row;
  return {
    id: idOf("lt", row.transaction_id),
    orderId: row.order_id === null ? null : idOf("po", row.order_id),
    opening: { sequence: Number(opening_seq), kind: opening_kind, lines },
    resolution:
      resolution_seq === null || resolution_kind === null
        ? null
        : { sequence: Number(resolution_seq), kind: resolution_kind },
    reversal: reversal_seq === null ? null : { sequence: Number(reversal_seq) },
    manual: null,
  };
}

/** The details that only manual commands need, by key; transactions that do not exist are left out. */
export async function readManualDetails(
  sql: Sql,
  keys: readonly { readonly book: BookId; readonly id: LedgerTransactionId }[],
): Promise<{ book: BookId; id: LedgerTransactionId; manual: ManualDetails }[]> {
  if (keys.length === 0) return [];
  const rows = await sql<{
    book_id: string;
    transaction_id: string;
    basis: Basis | null;
    effective_at: Date;
  }>(
    `select u.book_id, u.transaction_id, d.basis, j.effective_at
     from unnest($1::uuid[], $2::uuid[]) as u (book_id, transaction_id)
     cross join lateral (
       select y.effective_at
       from (select * from journal x where x.transaction_id = u.transaction_id offset 0) y
       where y.book_id = u.book_id
         and y.kind in ('Post', 'Hold', 'Settle')
       order by y.seq desc
       limit 1
     ) j
     left join lateral (
       select *
       from transaction_detail x
       where x.book_id = u.book_id
         and x.transaction_id = u.transaction_id
       offset 0
     ) d on true`,
    [idArray(keys.map(({ book }) => book)), idArray(keys.map(({ id }) => id))],
  );
  return rows.map((row) => ({
    book: idOf("book", row.book_id),
    id: idOf("lt", row.transaction_id),
    manual: { basis: row.basis, effectiveAt: row.effective_at.toISOString() },
  }));
}

/**
 * The first payment by which each order's receiver sent the money back, unless the order's hold had been released
 * before (Offset): the payer has that money, or can have it assigned. The caller holds the heads' locks.
 */
export async function readSentBackPayments(
  sql: Sql,
  orders: readonly { readonly book: BookId; readonly orderId: PaymentOrderId }[],
): Promise<ReadonlyMap<PaymentOrderId, InboundPaymentId>> {
  const rows = await sql<{ order_id: string; inbound_payment_id: string }>(
    `select u.order_id, p.inbound_payment_id
     from (select distinct * from unnest($1::uuid[], $2::uuid[])) as u (book_id, order_id)
     cross join lateral (
       select x.inbound_payment_id
       from inbound_payment x
       where x.returns_order_id = u.order_id
         and uuid_send(x.book_id) = uuid_send(u.book_id)
         and x.status <> 'Offset'
       order by x.created_at
       limit 1
     ) p`,
    [
      arrayLiteral(orders.map(({ book }) => uuidOf(book))),
      arrayLiteral(orders.map(({ orderId }) => uuidOf(orderId))),
    ],
  );
  return new Map(rows.map((row) => [idOf("po", row.order_id), idOf("ip", row.inbound_payment_id)]));
}
