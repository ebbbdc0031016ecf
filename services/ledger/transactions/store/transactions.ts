import {
  type LedgerTransaction,
  type LedgerTransactionQuery,
} from "../../../../contracts/http/ledger/ledger-transactions.ts";
import { idOf, type LedgerTransactionId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllNumbers } from "../../../platform/persistence/page.ts";
import { walkEach } from "../../../platform/persistence/params.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { AccountClass, Side } from "../../book/account.ts";
import { type JournalKind, type OpeningKind, sequelKinds } from "../../book/journal.ts";
import { ownerOf } from "../../book/transaction-owner.ts";
import { statusOf } from "../../book/transaction-status.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import { bookIndexFilter } from "../../posting/store/tenant-snapshot.ts";

export interface TransactionPageRow {
  seq: bigint;
  transaction_id: string;
  order_id: string | null;
  kind: OpeningKind;
  effective_at: Date;
  recorded_at: Date;
  description: string | null;
  basis: LedgerTransaction["basis"];
  external_id: string | null;
  created_by: string | null;
  metadata: Record<string, string> | null;
  /** The inbound payment that this transaction assigned to an account. */
  assigned: string | null;
  /** From JSON: its numbers hold an entry's amount exactly, and its times are text. */
  journals: {
    seq: number;
    kind: JournalKind;
    description: string | null;
    effective: string;
    recorded: string;
  }[];
  entries: {
    account: string;
    name: string;
    class: AccountClass;
    direction: Side;
    cents: number;
    currency: string;
  }[];
}

/**
 * Transactions by their opening journals: `openings` selects rows of `journal` as `o`. Everything else is looked up by
 * key, row by row: journals by the transaction's id alone (see `read_transactions`), lines by the opening's sequence.
 */
const transactionsOf = (openings: string) => `
  select o.seq, o.transaction_id, o.order_id, o.kind, o.effective_at, o.recorded_at,
    d.description, d.basis, d.external_id, d.metadata, d.created_by, p.inbound_payment_id as assigned, s.journals, l.entries
  from (${openings}) o
  left join lateral (
    select *
    from transaction_detail x
    where x.book_id = o.book_id
      and x.transaction_id = o.transaction_id
    offset 0
  ) d on true
  left join lateral (
    select *
    from inbound_payment x
    where o.kind = 'Assign'
      and x.assigned_transaction_id = o.transaction_id
    offset 0
  ) p on p.book_id = o.book_id
  cross join lateral (
    select jsonb_agg(jsonb_build_object('seq', j.seq, 'kind', j.kind, 'description', n.description,
      'effective', j.effective_at, 'recorded', j.recorded_at) order by j.seq) as journals
    from (select * from journal x where x.transaction_id = o.transaction_id offset 0) j
    left join lateral (
      select x.description from journal_note x where x.book_id = j.book_id and x.seq = j.seq offset 0
    ) n on true
    where j.book_id = o.book_id
  ) s
  cross join lateral (
    select jsonb_agg(jsonb_build_object('account', e.account_id, 'name', a.name, 'class', a.class, 'direction', e.direction,
      'cents', e.amount_cents, 'currency', e.currency) order by e.line) as entries
    from (select * from entry x where x.book_id = o.book_id and x.seq = o.seq offset 0) e
    cross join lateral (
      select x.name, x.class from account x where x.book_id = e.book_id and x.account_id = e.account_id offset 0
    ) a
  ) l
  order by o.seq desc`;

/**
 * Filters by kind: on `resolves_seq is null` the planner would choose the partial index on openings, which is not in
 * sequence order.
 */
const opens = (journal: string) =>
  `${journal}.kind not in (${sequelKinds.map((kind) => `'${kind}'`).join(", ")})`;

/**
 * These transactions of a book, with any owner. Planning the statement for all partitions takes some 10 ms, so one
 * statement reads many.
 */
export async function findTransactions(
  sql: Sql,
  book: string,
  ids: readonly LedgerTransactionId[],
): Promise<Map<LedgerTransactionId, TransactionPageRow>> {
  const rows = await sql<TransactionPageRow>(
    transactionsOf(`
      select j.*
      from unnest($2::uuid[]) as k (transaction_id)
      cross join lateral (select * from journal x where x.transaction_id = k.transaction_id offset 0) j
      where j.book_id = $1
        and ${opens("j")}`),
    [book, arrayLiteral(ids.map(uuidOf))],
  );
  return new Map(rows.map((row) => [idOf("lt", row.transaction_id), row]));
}

/** The newest pending manual transactions of a book, along their own list. */
export function listPendingTransactions(
  sql: Sql,
  book: string,
  limit: number,
): Promise<TransactionPageRow[]> {
  return sql(
    transactionsOf(`
      select j.*
      from (select p.seq from pending_transaction p where p.book_id = $1 order by p.seq desc limit $2) w
      cross join lateral (select * from journal x where x.book_id = $1 and x.seq = w.seq offset 0) j`),
    [book, limit],
  );
}

/** One transaction of a book. */
export async function findTransaction(
  sql: Sql,
  book: string,
  id: LedgerTransactionId,
): Promise<TransactionPageRow | undefined> {
  return (await findTransactions(sql, book, [id])).get(id);
}

/**
 * Newest first, `limit + 1` of them. Each filter has its own index; times become a range of sequences.
 */
export async function listTransactions(
  sql: Sql,
  book: string,
  query: LedgerTransactionQuery,
  after: string | null,
): Promise<TransactionPageRow[]> {
  const range = await rangeOf(sql, book, query, after);
  const params = [book, range.from, range.below, query.limit + 1];
  const { externalId, ledgerAccountId } = query;
  const accounts = ledgerAccountId?.map(uuidOf);
  if (externalId !== undefined) {
    const named = [...params, externalId, ...(accounts === undefined ? [] : [arrayLiteral(accounts)])];
    return sql(transactionsOf(byExternalId(accounts !== undefined)), named);
  }
  if (accounts === undefined) return sql(transactionsOf(bySequence), params);
  const versions = await sql<{ from: bigint; below: bigint }>(
    `select first_version_at($1, a.account_id, $3) as from, first_version_at($1, a.account_id, $4) as below
     from unnest($2::uuid[]) with ordinality as a (account_id, position)
     order by a.position`,
    [book, arrayLiteral(accounts), range.from, range.below],
  );
  return sql(transactionsOf(byAccounts), [
    book,
    query.limit + 1,
    arrayLiteral(accounts),
    versions.map(({ from }) => String(from)),
    versions.map(({ below }) => String(below)),
  ]);
}

/** The sequences that a page may show: from `from` (included) to `below` (excluded). */
async function rangeOf(
  sql: Sql,
  book: string,
  query: LedgerTransactionQuery,
  after: string | null,
): Promise<{ from: bigint | string; below: bigint | string }> {
  const from = query["createdAt[gte]"];
  const before = query["createdAt[lt]"];
  const below = after ?? aboveAllNumbers;
  if (from === undefined && before === undefined) return { from: "1", below };
  const [range] = await sql<{ from: bigint; below: bigint }>(
    `select first_journal_at($1, $2) as from, least(first_journal_at($1, $3), $4::bigint) as below`,
    [book, from ?? "-infinity", before ?? "infinity", below],
  );
  if (range === undefined) throw new TypeError("a select without a table gives one row");
  return range;
}

const bySequence = `
  select j.*
  from journal j
  where j.book_id = $1
    and j.seq >= $2
    and j.seq < $3
    and ${opens("j")}
  order by j.seq desc
  limit $4`;

/** Scans an account's versions downwards. A journal with several lines on it counts once, by the newest line. */
const versionsOfAccount = `
    select j.seq
    from entry e
    cross join lateral (select * from journal x where x.book_id = e.book_id and x.seq = e.seq offset 0) j
    left join lateral (
      select x.seq
      from entry x
      where x.book_id = e.book_id
        and x.account_id = e.account_id
        and x.account_version = e.account_version + 1
      offset 0
    ) newer on true
    where e.book_id = $1
      and e.account_id = w.account_id
      and e.account_version >= w.first_version
      and e.account_version < w.end_version
      and newer.seq is distinct from e.seq
      and ${opens("j")}
    order by e.account_version desc
    limit $2`;
const accountVersions = {
  account_id: "$3::uuid[]",
  first_version: "$4::bigint[]",
  end_version: "$5::bigint[]",
};
/** A journal with lines on several of the accounts counts once. */
const byAccounts = `
  select j.*
  from (
    select distinct f.seq
    from ${walkEach(accountVersions, versionsOfAccount, "f")}
    order by f.seq desc
    limit $2
  ) f
  cross join lateral (select * from journal x where x.book_id = $1 and x.seq = f.seq offset 0) j`;

const hasEntryOnAccounts = `and exists (
      select from entry x
      where x.book_id = j.book_id
        and x.seq = j.seq
        and x.account_id = any($6::uuid[])
    )`;
const byExternalId = (onAccounts: boolean) => `
  select j.*
  from (
    select x.book_id, x.transaction_id
    from transaction_detail x
    where x.external_id = any($5::text[])
      and ${bookIndexFilter("x")}
  ) t
  cross join lateral (select * from journal x where x.transaction_id = t.transaction_id offset 0) j
  where j.book_id = t.book_id
    and j.seq >= $2
    and j.seq < $3
    and ${opens("j")}
    ${onAccounts ? hasEntryOnAccounts : ""}
  order by j.seq desc
  limit $4`;

export function toLedgerTransaction(row: TransactionPageRow): LedgerTransaction {
  const steps = row.journals.map(({ seq, kind, description, effective, recorded }) => ({
    sequence: seq,
    kind,
    description,
    effectiveAt: new Date(effective).toISOString(),
    createdAt: new Date(recorded).toISOString(),
  }));
  const resolution = steps.find(({ kind }) => kind === "Settle" || kind === "Release");
  const settled = steps.find(({ kind }) => kind === "Settle");
  const reversal = steps.find(({ kind }) => kind === "Reverse" || kind === "LateReturn");
  return {
    id: idOf("lt", row.transaction_id),
    status: statusOf({
      opening: row,
      resolution: resolution === undefined ? null : { kind: resolution.kind as "Settle" | "Release" },
    }),
    description: row.description,
    currency: row.entries[0]?.currency ?? "USD",
    entries: row.entries.map(({ account, name, direction, cents }) => ({
      ledgerAccountId: idOf("la", account),
      ledgerAccountName: name,
      direction,
      amountCents: cents,
    })),
    basis: row.basis,
    effectiveAt: settled?.effectiveAt ?? row.effective_at.toISOString(),
    externalId: row.external_id,
    metadata: row.metadata ?? {},
    owner: ownerOf({ ...row, liability: liabilityOf(row) }),
    reversedAt: reversal?.createdAt ?? null,
    journals: steps,
    createdAt: row.recorded_at.toISOString(),
  };
}

const liabilityOf = ({ entries }: TransactionPageRow) =>
  entries.find((entry) => entry.class === "ObligationLiability")?.account ?? null;
