import type {
  LedgerAccount,
  LedgerAccountCreate,
} from "../../../../contracts/http/ledger/ledger-accounts.ts";
import { idOf, type LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import { exactCents } from "../../book/exact-cents.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { type AccountClass, balancesOf, type Side } from "../../book/account.ts";
import type { AsOf } from "../../book/as-of.ts";
import { type CounterColumns, countersOf } from "../../posting/store/accounts.ts";
import { asOfSql } from "../../posting/store/as-of.ts";
import { spellingsOf } from "../../../../contracts/text/text.ts";
import { bookIndexFilter } from "../../posting/store/tenant-snapshot.ts";

export interface AccountPageRow extends CounterColumns {
  account_id: string;
  name: string;
  currency: "USD";
  normal_balance: Side;
  class: AccountClass;
  overdraft: "Allowed" | "Refused";
  external_id: string | null;
  description: string | null;
  metadata: Record<string, string>;
  created_at: Date;
  updated_at: Date | null;
  closed_at: Date | null;
  last_seq: bigint;
}

export const accountColumns = `a.account_id, a.name, a.currency, a.normal_balance, a.class, a.overdraft, a.external_id, a.description,
  a.metadata, a.created_at, a.updated_at, a.closed_at, b.last_seq, b.held_debit, b.held_credit, b.released_debit, b.released_credit,
  b.posted_debit, b.posted_credit`;

/** Looked up account by account: in a join, the planner may read every balance. */
export const withBalance = `cross join lateral (
  select * from account_balance x where x.book_id = a.book_id and x.account_id = a.account_id offset 0
) b`;

/** One account of a book, system accounts included. */
export async function findAccount(sql: Sql, book: string, id: string): Promise<AccountPageRow | undefined> {
  const [row] = await sql<AccountPageRow>(
    `select ${accountColumns}
     from account a
     join account_balance b using (book_id, account_id)
     where a.book_id = $1
       and a.account_id = $2`,
    [book, id],
  );
  return row;
}

/** The same account with its balances at a moment; undefined if it was not opened yet. */
export async function findAccountAsOf(
  sql: Sql,
  book: string,
  id: string,
  moment: AsOf,
): Promise<AccountPageRow | undefined> {
  const asOf = asOfSql(moment, "$3");
  const [row] = await sql<AccountPageRow>(
    `select ${accountColumns}
     from account a
     ${asOf.balance}
     where a.book_id = $1
       and a.account_id = $2
       ${asOf.opened}`,
    [book, id, ...asOf.params],
  );
  return row;
}

/** The account of this name, system accounts included: spelled as it was sent, or normalised. */
export async function findAccountByName(
  sql: Sql,
  book: string,
  name: string,
): Promise<AccountPageRow | undefined> {
  return (await findAccountsByName(sql, book, [name]))[0];
}

/** The accounts of these names, each once, in no order. */
export async function findAccountsByName(
  sql: Sql,
  book: string,
  names: readonly string[],
): Promise<AccountPageRow[]> {
  const rows = await sql<AccountPageRow>(
    `select ${accountColumns}
     from account a
     ${withBalance}
     where a.book_id = $1
       and a.name = any($2::text[])
       -- Repeats the index's expression: by name alone Postgres would read that name in every book.
       and ${bookIndexFilter("a")}`,
    [book, [...new Set(names.flatMap(spellingsOf))]],
  );
  const byName = new Map(rows.map((row) => [row.name, row]));
  const found = names.map((name) =>
    spellingsOf(name)
      .map((each) => byName.get(each))
      .find((row) => row !== undefined),
  );
  return [...new Set(found.filter((row) => row !== undefined))];
}

/** The name of an existing account that differs from this name at most in case, spaces or Unicode composition. */
export async function findTakenName(sql: Sql, book: string, name: string): Promise<string | undefined> {
  const [row] = await sql<{ name: string }>(
    `select a.name
     from account a
     where name_key(a.name) = name_key($2)
       and ${bookIndexFilter("a")}
     limit 1`,
    [book, name],
  );
  return row?.name;
}

/**
 * Account ids by name, spelled as it was sent, or normalised. System accounts are included; names without an account
 * are left out.
 */
export async function findAccountIds(
  sql: Sql,
  book: string,
  names: readonly string[],
): Promise<Map<string, LedgerAccountId>> {
  const ids = await findIdsBySpelling(sql, book, [...new Set(names.flatMap(spellingsOf))]);
  return new Map(
    names.flatMap((name) => {
      const spelling = spellingsOf(name).find((each) => ids.has(each));
      const id = spelling === undefined ? undefined : ids.get(spelling);
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}

async function findIdsBySpelling(
  sql: Sql,
  book: string,
  names: readonly string[],
): Promise<Map<string, LedgerAccountId>> {
  if (names.length === 0) return new Map();
  const rows = await sql<{ name: string; account_id: string }>(
    `select u.name, a.account_id
     from unnest($2::text[]) as u (name)
     cross join lateral (
       select x.account_id
       from account x
       where x.name = u.name
         and ${bookIndexFilter("x")}
       offset 0
     ) a`,
    [book, names],
  );
  return new Map(rows.map((row) => [row.name, idOf("la", row.account_id)]));
}

/** Closes an account; it can't be opened again. A trigger (`account_closes_empty`) refuses one that is not empty. */
export async function closeAccount(sql: Sql, book: string, id: string): Promise<void> {
  await sql("select close_account($1, $2)", [book, id]);
}

export async function setAnnotations(
  sql: Sql,
  book: string,
  id: string,
  { description, metadata }: Pick<LedgerAccount, "description" | "metadata">,
): Promise<void> {
  await sql(
    `update account
     set description = $3,
         metadata = $4::jsonb,
         updated_at = clock_timestamp()
     where book_id = $1
       and account_id = $2`,
    [book, id, description, JSON.stringify(metadata)],
  );
}

/**
 * Inserts a tenant's account; undefined if its externalId or name is taken. No unique index can hold the rule for
 * names: older accounts may differ in case alone. So creations of one `name_key` take turns.
 */
export async function insertAccount(
  sql: Sql,
  book: string,
  id: string,
  account: LedgerAccountCreate,
): Promise<AccountPageRow | undefined> {
  await sql("select pg_advisory_xact_lock(hashtextextended($1 || '/' || name_key($2), 0))", [
    `account-name/${book}`,
    account.name,
  ]);
  if ((await findTakenName(sql, book, account.name)) !== undefined) return undefined;
  const [inserted] = await sql(
    `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft, external_id,
       description, metadata)
     values ($1, $2, $3, $4, $5, 'Tenant', $6, $7, $8, $9::jsonb)
     on conflict do nothing
     returning account_id`,
    [
      book,
      id,
      account.name,
      account.currency,
      account.normalBalance,
      account.overdraft,
      account.externalId ?? null,
      account.description ?? null,
      JSON.stringify(account.metadata ?? {}),
    ],
  );
  return inserted === undefined ? undefined : findAccount(sql, book, id);
}

const lastChange = ({ created_at, updated_at, closed_at }: AccountPageRow): Date =>
  new Date(Math.max(...[created_at, updated_at, closed_at].map((time) => time?.getTime() ?? 0)));

/** Refusals: `balance_out_of_range`. */
export function toLedgerAccount(row: AccountPageRow): LedgerAccount {
  const { pending, pendingInbound, posted, available } = balancesOf(row.normal_balance, countersOf(row));
  return {
    id: idOf("la", row.account_id),
    name: row.name,
    currency: row.currency,
    normalBalance: row.normal_balance,
    overdraft: row.overdraft,
    externalId: row.external_id,
    description: row.description,
    metadata: row.metadata,
    pendingBalanceCents: exactCents(pending),
    pendingInboundCents: exactCents(pendingInbound),
    postedBalanceCents: exactCents(posted),
    availableBalanceCents: exactCents(available),
    lastSequence: Number(row.last_seq),
    status: row.closed_at === null ? "Open" : "Closed",
    createdAt: row.created_at.toISOString(),
    updatedAt: lastChange(row).toISOString(),
    closedAt: row.closed_at?.toISOString() ?? null,
  };
}
