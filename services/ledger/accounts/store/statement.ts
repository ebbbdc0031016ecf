import type { StatementLine } from "../../../../contracts/http/ledger/statements.ts";
import { idOf } from "../../../../contracts/ids/ids.ts";
import { safeCents } from "../../../../contracts/money.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { dayOf, firstVersionAt, startOfDay } from "../../posting/store/as-of.ts";
import { entryIdOf } from "../../book/entry-id.ts";
import type { JournalKind } from "../../book/journal.ts";
import type { Listed, Movement, Position } from "../domain/statement.ts";

export interface StatementRow extends Movement {
  book_id: string;
  seq: bigint;
  line: number;
  kind: JournalKind;
  transaction_id: string;
  order_id: string | null;
  effective_at: Date;
  recorded_at: Date;
  description: string | null;
  external_id: string | null;
}

/** The account's newest version, which pins a statement. */
export async function newestVersion(sql: Sql, book: string, account: string): Promise<bigint> {
  const [row] = await sql<{ version: bigint }>(
    "select version from account_balance where book_id = $1 and account_id = $2",
    [book, account],
  );
  return row?.version ?? 0n;
}

/** The versions of the entries that were recorded from one New York day to another: from `first` to below `end`. */
export async function versionsOfDays(
  sql: Sql,
  book: string,
  account: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<{ first: bigint; end: bigint }> {
  const [row] = await sql<{ first: bigint; end: bigint }>(
    `select ${firstVersionAt(startOfDay("$3::date"))} as first, ${firstVersionAt(startOfDay("$4::date + 1"))} as end`,
    [book, account, from, to],
  );
  if (row === undefined) throw new TypeError("a select without a table gives one row");
  return row;
}

/** Everything that a line shows of a posted entry `e`. Journals and texts are looked up by key. */
const columns = `e.book_id, e.seq, e.line, e.account_version, e.direction, e.amount_cents, j.kind, j.transaction_id,
  j.order_id, j.effective_at, j.recorded_at, ${dayOf("j.effective_at")}::text as effective_on,
  coalesce(n.description, d.description) as description, d.external_id`;
const withTexts = `
  left join lateral (
    select * from journal_note x where x.book_id = e.book_id and x.seq = e.seq offset 0
  ) n on true
  left join lateral (
    select * from transaction_detail x where x.book_id = e.book_id and x.transaction_id = j.transaction_id offset 0
  ) d on true`;

/** Posted entries that count for the day of their record, after `after` and below `end`, in the order of record. */
export function entriesOfTheirDay(
  sql: Sql,
  book: string,
  account: string,
  page: { readonly after: bigint; readonly end: bigint; readonly limit: number },
): Promise<StatementRow[]> {
  return sql<StatementRow>(
    `select ${columns}
     from entry e
     cross join lateral (select * from journal x where x.book_id = e.book_id and x.seq = e.seq offset 0) j
     ${withTexts}
     where e.book_id = $1
       and e.account_id = $2
       and e.account_version > $3
       and e.account_version < $4
       and e.layer = 'Posted'
       and ${dayOf("j.effective_at")} = ${dayOf("j.recorded_at")}
     order by e.account_version
     limit $5`,
    [book, account, page.after, page.end, page.limit],
  );
}

/** Posted entries that count for another day than that of their record, by the day for which they count. */
export function entriesOfOtherDays(
  sql: Sql,
  book: string,
  account: string,
  page: {
    readonly after: Position["dated"];
    readonly to: string;
    readonly pinnedVersion: bigint;
    readonly limit: number;
  },
): Promise<StatementRow[]> {
  return sql<StatementRow>(
    `select ${columns}
     from (
       select *
       from dated_entry x
       where x.book_id = $1
         and x.account_id = $2
         and (x.effective_on, x.account_version) > ($3::date, $4)
         and x.effective_on <= $5::date
         and x.account_version <= $6
         and x.layer = 'Posted'
       order by x.effective_on, x.account_version
       limit $7
     ) k
     cross join lateral (
       select *
       from entry x
       where x.book_id = k.book_id
         and x.account_id = k.account_id
         and x.account_version = k.account_version
       offset 0
     ) e
     cross join lateral (select * from journal x where x.book_id = e.book_id and x.seq = e.seq offset 0) j
     ${withTexts}
     order by k.effective_on, k.account_version`,
    [book, account, page.after.on, page.after.version, page.to, page.pinnedVersion, page.limit],
  );
}

export function toStatementLine(row: Listed<StatementRow>): StatementLine {
  return {
    entryId: entryIdOf(row.book_id, row.recorded_at, Number(row.seq), row.line),
    effectiveDate: row.effective_on,
    effectiveAt: row.effective_at.toISOString(),
    createdAt: row.recorded_at.toISOString(),
    direction: row.direction,
    amountCents: safeCents(row.amount_cents),
    balanceCents: safeCents(row.after.balanceCents),
    kind: row.kind,
    description: row.description,
    externalId: row.external_id,
    transactionId: idOf("lt", row.transaction_id),
    paymentOrderId: row.order_id === null ? null : idOf("po", row.order_id),
    sequence: Number(row.seq),
  };
}
