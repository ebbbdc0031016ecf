import type { LedgerEntry, LedgerEntryQuery } from "../../../../contracts/http/ledger/ledger-accounts.ts";
import { idOf } from "../../../../contracts/ids/ids.ts";
import { safeCents } from "../../../../contracts/money.ts";
import { aboveAllNumbers } from "../../../platform/persistence/page.ts";
import { Params } from "../../../platform/persistence/params.ts";
import { planEachTime, type Sql } from "../../../platform/persistence/sql.ts";
import { dayOf, firstVersionAt, startOfDay } from "../../posting/store/as-of.ts";
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

export interface EntryPage extends Pick<LedgerEntryQuery, "order" | "limit"> {
  readonly layer: Layer | null;
  /** The version that the page continues after. */
  readonly after: string | null;
  readonly created: TimeRange;
  readonly effective: TimeRange;
}

/** From a time, included, to another, excluded. */
interface TimeRange {
  readonly from: string | undefined;
  readonly before: string | undefined;
}

/** Versions of the account: `from` included, `end` excluded. */
interface Versions {
  readonly from: bigint;
  readonly end: bigint;
}

/**
 * An account's entries in the order of their record, `limit + 1` of them: one index scan along the account's versions,
 * headers by key. Times become ranges of versions. Entries that count for another day than that of their record are in
 * `dated_entry`. The line that an entry offsets is not searched for: `journal_resolution_exact` fixes its number, and
 * the query computes it.
 */
export async function listEntries(
  sql: Sql,
  book: string,
  account: string,
  page: EntryPage,
): Promise<EntryPageRow[]> {
  const { created, effective } = await versionsOf(sql, book, account, page);
  const params = new Params();
  const own = { book: params.add(book, "uuid"), account: params.add(account, "uuid") };
  const direction = page.order === "Oldest" ? "asc" : "desc";
  const limit = params.add(page.limit + 1, "int");
  const bounds = (table: string) =>
    [
      `${table}.book_id = ${own.book}`,
      `${table}.account_id = ${own.account}`,
      `${table}.account_version >= ${params.add(created.from, "bigint")}`,
      `${table}.account_version < ${params.add(created.end, "bigint")}`,
      ...(page.after === null
        ? []
        : [
            `${table}.account_version ${direction === "asc" ? ">" : "<"} ${params.add(page.after, "bigint")}`,
          ]),
      ...(page.layer === null ? [] : [`${table}.layer = ${params.add(page.layer, "layer")}`]),
    ].join(" and ");
  const moved = (journal: string) =>
    `${journal}.effective_at >= ${params.add(page.effective.from ?? "-infinity", "timestamptz")}
     and ${journal}.effective_at < ${params.add(page.effective.before ?? "infinity", "timestamptz")}`;
  const found =
    effective === null
      ? `select x.* from entry x where ${bounds("x")} order by x.account_version ${direction} limit ${limit}`
      : alongDays(bounds, moved, params, { page, effective, own, direction, limit });
  return sql<EntryPageRow>(
    `${planEachTime}
     select e.book_id, e.seq, e.line, e.account_version, e.layer, e.role, e.direction, e.amount_cents,
       j.kind, j.transaction_id, j.order_id, j.effective_at, j.recorded_at,
       o.seq as origin_seq, o.recorded_at as origin_recorded_at,
       e.line + case when o.kind = 'Settle' then j.line_count else 0 end as origin_line
     from (${found}) e
     cross join lateral (select * from journal x where x.book_id = e.book_id and x.seq = e.seq offset 0) j
     left join lateral (
       select x.seq, x.kind, x.recorded_at
       from journal x
       where x.book_id = e.book_id
         and x.seq = case e.role when 'Discharge' then j.resolves_seq else j.reverses_seq end
       offset 0
     ) o on true
     order by e.account_version ${direction}
     limit ${limit}`,
    params.values,
  );
}

/** The last day with an instant before that time. */
const lastDay = (time: string) => dayOf(`(${time} - interval '1 microsecond')`);

/** The entries that were recorded on the days of `effective`, and those of other days that count for these. */
function alongDays(
  bounds: (table: string) => string,
  moved: (journal: string) => string,
  params: Params,
  by: {
    readonly page: EntryPage;
    readonly effective: Versions;
    readonly own: { readonly book: string; readonly account: string };
    readonly direction: "asc" | "desc";
    readonly limit: string;
  },
): string {
  const from = params.add(by.effective.from, "bigint");
  const end = params.add(by.effective.end, "bigint");
  const journal =
    "cross join lateral (select * from journal h where h.book_id = x.book_id and h.seq = x.seq offset 0) j";
  const ordered = `order by x.account_version ${by.direction} limit ${by.limit}`;
  return `
    (select x.* from entry x ${journal}
     where ${bounds("x")} and x.account_version >= ${from} and x.account_version < ${end} and ${moved("j")}
     ${ordered})
    union all
    (select x.* from dated_entry d
     cross join lateral (
       select * from entry y
       where y.book_id = d.book_id and y.account_id = d.account_id and y.account_version = d.account_version
       offset 0
     ) x
     ${journal}
     where ${bounds("d")}
       and (d.account_version < ${from} or d.account_version >= ${end})
       and d.effective_on >= ${dayOf(params.add(by.page.effective.from ?? "-infinity", "timestamptz"))}
       and d.effective_on <= ${lastDay(params.add(by.page.effective.before ?? "infinity", "timestamptz"))}
       and ${moved("j")}
     ${ordered})`;
}

/** The versions that were recorded in the range, and on the effective range's days; null without the latter. */
async function versionsOf(
  sql: Sql,
  book: string,
  account: string,
  { created, effective }: EntryPage,
): Promise<{ created: Versions; effective: Versions | null }> {
  const all = { from: 1n, end: BigInt(aboveAllNumbers) };
  const has = ({ from, before }: TimeRange) => (from ?? before) !== undefined;
  if (!has(created) && !has(effective)) return { created: all, effective: null };
  const [row] = await sql<{ from: bigint; end: bigint; day_from: bigint; day_end: bigint }>(
    `select ${firstVersionAt("$3::timestamptz")} as from,
       ${firstVersionAt("$4::timestamptz")} as end,
       ${firstVersionAt(startOfDay(dayOf("$5::timestamptz")))} as day_from,
       ${firstVersionAt(startOfDay(`${lastDay("$6::timestamptz")} + 1`))} as day_end`,
    [
      book,
      account,
      ...[created, effective].flatMap(({ from, before }) => [from ?? "-infinity", before ?? "infinity"]),
    ],
  );
  if (row === undefined) throw new TypeError("a select without a table gives one row");
  return {
    created: { from: row.from, end: row.end },
    effective: has(effective) ? { from: row.day_from, end: row.day_end } : null,
  };
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
