import type { LedgerEntry } from "../../../../contracts/http/ledger/ledger-accounts.ts";
import { idOf } from "../../../../contracts/ids/ids.ts";
import { safeCents } from "../../../../contracts/money.ts";
import { aboveAllNumbers } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Layer, Role, Side } from "../../book/account.ts";
import { entryIdOf } from "../../book/entry-id.ts";
import type { JournalKind } from "../../book/journal.ts";

export interface EntryPageRow {
  book_id: string;
  seq: bigint;
  line: number;
  account_version: bigint;
  layer: Layer;
  role: Role;
  direction: Side;
  amount_cents: bigint;
  kind: JournalKind;
  transaction_id: string;
  order_id: string | null;
  effective_at: Date;
  recorded_at: Date;
  origin_seq: bigint | null;
  origin_recorded_at: Date | null;
  origin_line: number | null;
}

/**
 * An account's entries, newest first, `limit + 1` of them: one index scan down the account's versions, headers by key.
 * The line that an entry offsets is not searched for: `journal_resolution_exact` fixes its number, and the query
 * computes it.
 */
export function listEntries(
  sql: Sql,
  book: string,
  account: string,
  page: { readonly layer: Layer | null; readonly after: string | null; readonly limit: number },
): Promise<EntryPageRow[]> {
  return sql<EntryPageRow>(
    `select e.book_id, e.seq, e.line, e.account_version, e.layer, e.role, e.direction, e.amount_cents,
       j.kind, j.transaction_id, j.order_id, j.effective_at, j.recorded_at,
       o.seq as origin_seq, o.recorded_at as origin_recorded_at,
       e.line + case when o.kind = 'Settle' then j.line_count else 0 end as origin_line
     from (
       select *
       from entry x
       where x.book_id = $1
         and x.account_id = $2
         and x.account_version < $3
         ${page.layer === null ? "" : "and x.layer = $5"}
       order by x.account_version desc
       limit $4
     ) e
     cross join lateral (select * from journal x where x.book_id = e.book_id and x.seq = e.seq offset 0) j
     left join lateral (
       select x.seq, x.kind, x.recorded_at
       from journal x
       where x.book_id = e.book_id
         and x.seq = case e.role when 'Discharge' then j.resolves_seq else j.reverses_seq end
       offset 0
     ) o on true
     order by e.account_version desc`,
    [
      book,
      account,
      page.after ?? aboveAllNumbers,
      page.limit + 1,
      ...(page.layer === null ? [] : [page.layer]),
    ],
  );
}

export function toLedgerEntry(row: EntryPageRow): LedgerEntry {
  const { book_id: book, origin_seq, origin_recorded_at, origin_line } = row;
  return {
    id: entryIdOf(book, row.recorded_at, Number(row.seq), row.line),
    direction: row.direction,
    amountCents: safeCents(row.amount_cents),
    status: row.layer,
    transactionId: idOf("lt", row.transaction_id),
    sequence: Number(row.seq),
    kind: row.role === "Discharge" ? "Discharge" : row.kind,
    reversesEntryId:
      origin_seq === null || origin_recorded_at === null || origin_line === null
        ? null
        : entryIdOf(book, origin_recorded_at, Number(origin_seq), origin_line),
    paymentOrderId: row.order_id === null ? null : idOf("po", row.order_id),
    effectiveAt: row.effective_at.toISOString(),
    createdAt: row.recorded_at.toISOString(),
  };
}
