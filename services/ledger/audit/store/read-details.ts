import { idOf, uuidOf, type BookId } from "../../../../contracts/ids/ids.ts";
import { safeCents } from "../../../../contracts/money.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { digestOfInbound, digestOfNote, digestOfTransaction } from "../../book/details.ts";
import { toUnmatchedReturn } from "../../inbound-payments/store/inbound-payments.ts";
import type { JournalKind } from "../../book/journal.ts";

interface Described {
  readonly seq: bigint;
  readonly kind: JournalKind;
  readonly transaction_id: string;
  readonly order_id: string | null;
  readonly digest_version: number;
}

/**
 * The digests of the rows that describe these journals, by sequence: of a manual transaction, an inbound payment, a
 * reversal's note. A journal of an order has none, so a page of orders costs no statement; version 1 covers none.
 */
export async function digestsOfDetails(
  sql: Sql,
  book: BookId,
  journals: readonly Described[],
): Promise<ReadonlyMap<number, string>> {
  const covered = journals.filter((journal) => journal.digest_version > 1 && journal.order_id === null);
  const of = (...kinds: JournalKind[]) => covered.filter(({ kind }) => kinds.includes(kind));
  const found = [
    await transactionDigests(sql, book, of("Post", "Hold")),
    await inboundDigests(sql, book, of("Inbound", "UnmatchedReturn")),
    await noteDigests(sql, book, of("Reverse")),
  ];
  return new Map(found.flat());
}

type Digests = [sequence: number, digest: string][];

const named = (book: BookId, journals: readonly Described[]) => [
  uuidOf(book),
  arrayLiteral(journals.map(({ seq }) => seq)),
  arrayLiteral(journals.map(({ transaction_id }) => transaction_id)),
];

async function transactionDigests(sql: Sql, book: BookId, journals: readonly Described[]): Promise<Digests> {
  if (journals.length === 0) return [];
  const rows = await sql<{
    seq: bigint;
    description: string;
    basis: string;
    external_id: string | null;
    created_by: string | null;
    metadata: Record<string, string>;
  }>(
    `select u.seq, d.description, d.basis, d.external_id, d.created_by, d.metadata
     from unnest($2::bigint[], $3::uuid[]) as u (seq, transaction_id)
     cross join lateral (
       select * from transaction_detail x where x.book_id = $1 and x.transaction_id = u.transaction_id offset 0
     ) d`,
    named(book, journals),
  );
  return rows.map(({ seq, external_id: externalId, created_by: createdBy, ...details }) => [
    Number(seq),
    digestOfTransaction({ ...details, externalId, createdBy }),
  ]);
}

async function inboundDigests(sql: Sql, book: BookId, journals: readonly Described[]): Promise<Digests> {
  if (journals.length === 0) return [];
  const rows = await sql<{
    seq: bigint;
    bank_reference: string;
    rail: string;
    direction: string;
    amount_cents: bigint;
    currency: string;
    originator_name: string;
    account_number_last4: string;
    returns_order_id: string | null;
    return_code: string | null;
    original_trace: string | null;
  }>(
    `select u.seq, p.bank_reference, p.rail, p.direction, p.amount_cents, p.currency, p.originator_name,
       p.account_number_last4, p.returns_order_id, p.return_code, p.original_trace
     from unnest($2::bigint[], $3::uuid[]) as u (seq, transaction_id)
     cross join lateral (
       select * from inbound_payment x where x.book_id = $1 and x.inbound_payment_id = u.transaction_id offset 0
     ) p`,
    named(book, journals),
  );
  return rows.map((row) => [
    Number(row.seq),
    digestOfInbound({
      bankReference: row.bank_reference,
      rail: row.rail,
      direction: row.direction,
      amountCents: safeCents(row.amount_cents),
      currency: row.currency,
      originatorName: row.originator_name,
      accountNumberLast4: row.account_number_last4,
      returnsPaymentOrderId: row.returns_order_id === null ? null : idOf("po", row.returns_order_id),
      unmatchedReturn: toUnmatchedReturn(row),
    }),
  ]);
}

async function noteDigests(sql: Sql, book: BookId, journals: readonly Described[]): Promise<Digests> {
  if (journals.length === 0) return [];
  const rows = await sql<{ seq: bigint; description: string }>(
    `select u.seq, n.description
     from unnest($2::bigint[], $3::uuid[]) as u (seq, transaction_id)
     cross join lateral (select * from journal_note x where x.book_id = $1 and x.seq = u.seq offset 0) n`,
    named(book, journals),
  );
  return rows.map(({ seq, description }) => [Number(seq), digestOfNote(description)]);
}
