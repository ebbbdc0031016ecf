import {
  type BookId,
  idOf,
  type ObligationId,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import { realTime } from "../../../platform/clock/real-time.ts";
import type { BookFilter } from "../../../platform/handlers/batch-by-book.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { idArray } from "../../../platform/persistence/uuid-array.ts";
import type { Obligation, Remittance } from "../../book/obligation.ts";
import type { ObligationEvent } from "../../book/obligation-history.ts";

export interface ObligationRow {
  book_id: string;
  obligation_id: string;
  type: Obligation["type"];
  status: Obligation["status"];
  reference: string;
  jurisdiction: string | null;
  period: string | null;
  payee_counterparty_id: string | null;
  lines: Obligation["lines"];
  fixed_cents: bigint;
  payment_order_id: string | null;
  remittance_cents: bigint | null;
  remittance_rail: Remittance["rail"] | null;
  funding_account_id: string | null;
  requested_by: Remittance["requestedBy"];
  event_count: number;
  created_by: string;
  makers: string[];
  version: number;
  created_at: Date;
  updated_at: Date;
}

export const obligationColumns = `o.book_id, o.obligation_id, o.type, o.status, o.reference, o.jurisdiction, o.period,
  o.payee_counterparty_id, o.lines, o.fixed_cents, o.payment_order_id, o.remittance_cents, o.remittance_rail,
  o.funding_account_id, o.requested_by, o.event_count, o.created_by, o.makers, o.version, o.created_at,
  o.updated_at`;

export function toObligation(row: ObligationRow): Obligation {
  const orderId = row.payment_order_id === null ? null : idOf("po", row.payment_order_id);
  return {
    id: idOf("ob", row.obligation_id),
    book: idOf("book", row.book_id),
    type: row.type,
    status: row.status,
    reference: row.reference,
    jurisdiction: row.jurisdiction,
    period: row.period,
    payeeCounterpartyId: row.payee_counterparty_id === null ? null : idOf("cp", row.payee_counterparty_id),
    lines: row.lines,
    fixedCents: Number(row.fixed_cents),
    paymentOrderId: orderId,
    remittance:
      orderId === null ||
      row.remittance_cents === null ||
      row.remittance_rail === null ||
      row.funding_account_id === null
        ? null
        : {
            orderId,
            amountCents: Number(row.remittance_cents),
            rail: row.remittance_rail,
            fundingAccountId: idOf("la", row.funding_account_id),
            requestedBy: row.requested_by,
          },
    eventCount: row.event_count,
    createdBy: row.created_by,
    makers: row.makers,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** These obligations; those of other books are left out. They can't change while the book's head is locked. */
export async function readObligations(
  sql: Sql,
  keys: readonly { readonly book: BookId; readonly id: ObligationId }[],
): Promise<Obligation[]> {
  if (keys.length === 0) return [];
  const rows = await sql<ObligationRow>(
    `select ${obligationColumns}
     from unnest($1::uuid[], $2::uuid[]) as u (book_id, obligation_id)
     cross join lateral (
       select * from obligation x where x.book_id = u.book_id and x.obligation_id = u.obligation_id offset 0
     ) o`,
    [idArray(keys.map(({ book }) => book)), idArray(keys.map(({ id }) => id))],
  );
  return rows.map(toObligation);
}

const optional = (id: Parameters<typeof uuidOf>[0] | null | undefined) =>
  id === null || id === undefined ? null : uuidOf(id);

/** The values that may change, in the order of the update's and the insert's columns. */
function fieldsOf(obligation: Obligation): unknown[] {
  const { remittance } = obligation;
  const requestedBy = remittance?.requestedBy ?? null;
  return [
    uuidOf(obligation.book),
    uuidOf(obligation.id),
    obligation.status,
    obligation.reference,
    obligation.jurisdiction,
    obligation.period,
    optional(obligation.payeeCounterpartyId),
    JSON.stringify(obligation.lines),
    obligation.fixedCents,
    optional(obligation.paymentOrderId),
    remittance?.amountCents ?? null,
    remittance?.rail ?? null,
    optional(remittance?.fundingAccountId),
    requestedBy === null ? null : JSON.stringify(requestedBy),
    requestedBy?.dueAt ?? null,
    obligation.eventCount,
    obligation.makers,
  ];
}

export async function insertObligation(sql: Sql, obligation: Obligation): Promise<void> {
  await sql(
    `insert into obligation (book_id, obligation_id, status, reference, jurisdiction, period, payee_counterparty_id,
       lines, fixed_cents, payment_order_id, remittance_cents, remittance_rail, funding_account_id, requested_by,
       request_due_at, event_count, makers, type, created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12, $13, $14::jsonb, $15, $16, $17, $18, $19, $20,
       $20)`,
    [...fieldsOf(obligation), obligation.type, obligation.createdBy, obligation.createdAt],
  );
}

/**
 * Updates an obligation; its book's head must be locked. `at` is null for a change that may be undone without a history
 * event: it leaves `updatedAt` and the version, which a trigger raises. Throws LG040 if the obligation contradicts its
 * liability account.
 */
export async function saveObligation(
  sql: Sql,
  obligation: Obligation,
  at: Date | null = realTime(),
): Promise<void> {
  await sql(
    `update obligation
     set status = $3,
         reference = $4,
         jurisdiction = $5,
         period = $6,
         payee_counterparty_id = $7,
         lines = $8::jsonb,
         fixed_cents = $9,
         payment_order_id = $10,
         remittance_cents = $11,
         remittance_rail = $12,
         funding_account_id = $13,
         requested_by = $14::jsonb,
         request_due_at = $15,
         event_count = $16,
         makers = $17,
         updated_at = coalesce($18, updated_at)
     where book_id = $1
       and obligation_id = $2`,
    [...fieldsOf(obligation), at],
  );
}

/** Appends an event to each obligation; `eventCount` is its position. */
export async function insertObligationEvents(
  sql: Sql,
  transitions: readonly { readonly after: Obligation; readonly event: ObligationEvent }[],
): Promise<void> {
  const rows = transitions.map(({ after, event }) => ({
    book_id: uuidOf(after.book),
    obligation_id: uuidOf(after.id),
    position: after.eventCount,
    kind: event.kind,
    order_id: optional(event.orderId),
    amount_cents: event.amountCents,
    transaction_id: optional(event.journal?.transactionId),
    seq: event.journal?.sequence ?? null,
    lines: event.lines,
    reason: event.reason,
    actor: event.actor,
    at: event.at,
  }));
  await sql(
    `insert into obligation_event (book_id, obligation_id, position, kind, order_id, amount_cents, transaction_id, seq,
       lines, reason, actor, at)
     select *
     from jsonb_to_recordset($1::jsonb) as s (book_id uuid, obligation_id uuid, position int, kind text, order_id uuid,
       amount_cents bigint, transaction_id uuid, seq bigint, lines jsonb, reason text, actor text, at timestamptz)`,
    [JSON.stringify(rows)],
  );
}

/** How long its whole history is as text: each event is longer than its entry in the answer. */
export async function historyBytesOf(sql: Sql, book: BookId, id: ObligationId): Promise<number> {
  const [row] = await sql<{ bytes: number }>(
    `select coalesce(sum(octet_length(to_jsonb(e)::text)), 0)::float8 as bytes
     from obligation_event e
     where e.book_id = $1
       and e.obligation_id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return row?.bytes ?? 0;
}

/** Whether the ledger has decided the hold of an order that pays, or has paid, an obligation. */
export async function hasEventFor(
  sql: Sql,
  of: { readonly book: BookId; readonly id: ObligationId; readonly orderId: PaymentOrderId },
): Promise<boolean> {
  const rows = await sql(
    `select 1
     from obligation_event
     where book_id = $1
       and obligation_id = $2
       and order_id = $3
     limit 1`,
    [uuidOf(of.book), uuidOf(of.id), uuidOf(of.orderId)],
  );
  return rows.length > 0;
}

/**
 * Claims obligations whose remittance order is still unconfirmed when its request is due. Each is due again ten seconds
 * later; rows that another instance has locked are skipped.
 */
export async function claimDueRequests(
  sql: Sql,
  now: Date,
  limit: number,
  filter: BookFilter,
): Promise<Obligation[]> {
  const rows = await sql<ObligationRow>(
    `update obligation o
     set request_due_at = $1::timestamptz + interval '10 seconds'
     from (
       select book_id, obligation_id
       from obligation
       where request_due_at <= $1
         and (book_id = any ($3::uuid[])) is not distinct from $4
       order by request_due_at
       limit $2
       for update skip locked
     ) due
     where o.book_id = due.book_id
       and o.obligation_id = due.obligation_id
     returning ${obligationColumns}`,
    [now, limit, filter.books.map(uuidOf), filter.only],
  );
  return rows.map(toObligation);
}

/** Books with requests that are due, at most `limit`. */
export async function booksWithDueRequests(
  sql: Sql,
  now: Date,
  limit: number,
  filter: BookFilter,
): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    `select distinct book_id
     from obligation
     where request_due_at <= $1
       and (book_id = any ($3::uuid[])) is not distinct from $4
     limit $2`,
    [now, limit, filter.books.map(uuidOf), filter.only],
  );
  return rows.map((row) => idOf("book", row.book_id));
}

/** Frees an Idempotency-Key whose remittance was refused after its answer had been stored. */
export async function deleteIdempotencyKey(sql: Sql, book: BookId, key: string): Promise<void> {
  await sql("delete from idempotency where book_id = $1 and key = $2 and operation = 'remit-obligation'", [
    uuidOf(book),
    key,
  ]);
}
