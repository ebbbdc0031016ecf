import type {
  VirtualAccountCreate,
  VirtualAccountStatus,
} from "../../../../contracts/http/ledger/virtual-accounts.ts";
import {
  type BookId,
  type CounterpartyId,
  idOf,
  type LedgerAccountId,
  uuidOf,
  type VirtualAccountId,
} from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import { walkEach } from "../../../platform/persistence/params.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import { bookIndexFilter } from "../../posting/store/tenant-snapshot.ts";

export interface VirtualAccountRow {
  virtual_account_id: string;
  name: string;
  ledger_account_id: string;
  ledger_account_name: string;
  counterparty_id: string | null;
  external_id: string | null;
  description: string | null;
  metadata: Record<string, string>;
  key_id: string;
  ciphertext: string;
  status: VirtualAccountStatus;
  created_at: Date;
  updated_at: Date;
}

const columns = `v.virtual_account_id, v.name, v.ledger_account_id, a.name as ledger_account_name, v.counterparty_id,
  v.external_id, v.description, v.metadata, v.key_id, v.ciphertext, v.status, v.created_at, v.updated_at`;

/** Looked up one by one: in a join, the planner would read every account. */
const withLedgerAccount = `cross join lateral (
  select x.name from account x where x.book_id = v.book_id and x.account_id = v.ledger_account_id offset 0
) a`;

/** One virtual account of a book. */
export async function findVirtualAccount(
  sql: Sql,
  book: BookId,
  id: VirtualAccountId,
): Promise<VirtualAccountRow | undefined> {
  const [row] = await sql<VirtualAccountRow>(
    `select ${columns}
     from virtual_account v
     ${withLedgerAccount}
     where v.book_id = $1
       and v.virtual_account_id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return row;
}

export interface VirtualAccountFilter {
  readonly ledgerAccountIds: readonly LedgerAccountId[] | undefined;
  readonly externalIds: readonly string[] | undefined;
}

/** A book's virtual accounts, newest first, `limit + 1` of them. An externalId has one at most. */
export function listVirtualAccounts(
  sql: Sql,
  book: BookId,
  filter: VirtualAccountFilter,
  page: { readonly after: string | null; readonly limit: number },
): Promise<VirtualAccountRow[]> {
  const params: unknown[] = [uuidOf(book), page.after ?? aboveAllUuids, page.limit + 1];
  return sql<VirtualAccountRow>(
    `select ${columns}
     from ${source(filter, (value) => `$${params.push(value)}`)} v
     ${withLedgerAccount}
     where v.book_id = $1
       and v.virtual_account_id < $2
     order by v.virtual_account_id desc
     limit $3`,
    params,
  );
}

/**
 * Written so that the planner uses the filter's index and compares the book afterwards. By the book first, it would
 * read the whole book.
 */
function source(
  { ledgerAccountIds, externalIds }: VirtualAccountFilter,
  add: (value: unknown) => string,
): string {
  const accounts =
    ledgerAccountIds === undefined ? undefined : `${add(ledgerAccountIds.map(uuidOf))}::uuid[]`;
  if (externalIds !== undefined) {
    return `(
       select x.*
       from virtual_account x
       where x.external_id = any(${add(externalIds)}::text[])
         and ${bookIndexFilter("x")}
         ${accounts === undefined ? "" : `and x.ledger_account_id = any(${accounts})`}
       offset 0
     )`;
  }
  if (accounts === undefined) return "virtual_account";
  const walk = `
         select *
         from virtual_account x
         where x.ledger_account_id = w.ledger_account_id
           and ${bookIndexFilter("x")}
           and x.virtual_account_id < $2
         order by x.virtual_account_id desc
         limit $3`;
  return `(select f.* from ${walkEach({ ledger_account_id: accounts }, walk, "f")} offset 0)`;
}

export interface NewVirtualAccount
  extends Omit<VirtualAccountCreate, "ledgerAccountId" | "ledgerAccountName" | "counterpartyId"> {
  readonly id: VirtualAccountId;
  readonly ledgerAccountId: LedgerAccountId;
  readonly counterpartyId: CounterpartyId | undefined;
  readonly hash: Buffer;
  readonly keyId: string;
  readonly ciphertext: string;
}

/** Inserts a virtual account; false if its externalId (or, very improbably, its number) is taken. */
export async function insertVirtualAccount(
  sql: Sql,
  book: BookId,
  account: NewVirtualAccount,
): Promise<boolean> {
  const rows = await sql(
    `insert into virtual_account (book_id, virtual_account_id, name, ledger_account_id, counterparty_id, external_id,
       metadata, number_hash, key_id, ciphertext, description)
     values ($1, $2, $3, $4, $5, $6, $7::jsonb, decode($8, 'hex'), $9, $10, $11)
     on conflict do nothing
     returning virtual_account_id`,
    [
      uuidOf(book),
      uuidOf(account.id),
      account.name,
      uuidOf(account.ledgerAccountId),
      account.counterpartyId === undefined ? null : uuidOf(account.counterpartyId),
      account.externalId ?? null,
      JSON.stringify(account.metadata ?? {}),
      account.hash.toString("hex"),
      account.keyId,
      account.ciphertext,
      account.description ?? null,
    ],
  );
  return rows.length > 0;
}

export async function setVirtualAccountAnnotations(
  sql: Sql,
  book: BookId,
  id: VirtualAccountId,
  { description, metadata }: Pick<VirtualAccountRow, "description" | "metadata">,
): Promise<void> {
  await sql(
    `update virtual_account
     set description = $3,
         metadata = $4::jsonb,
         updated_at = clock_timestamp()
     where book_id = $1
       and virtual_account_id = $2`,
    [uuidOf(book), uuidOf(id), description, JSON.stringify(metadata)],
  );
}

export async function setVirtualAccountStatus(
  sql: Sql,
  book: BookId,
  id: VirtualAccountId,
  status: VirtualAccountStatus,
): Promise<void> {
  await sql(
    `update virtual_account
     set status = $3,
         updated_at = clock_timestamp()
     where book_id = $1
       and virtual_account_id = $2`,
    [uuidOf(book), uuidOf(id), status],
  );
}

/** The virtual account of a number. */
export interface NumberOwner {
  readonly id: VirtualAccountId;
  readonly status: VirtualAccountStatus;
  readonly ledgerAccountId: LedgerAccountId;
  readonly isLedgerAccountClosed: boolean;
}

/** The virtual accounts with these numbers, in order; undefined for a number that the book does not have. */
export async function findByNumbers(
  sql: Sql,
  keys: readonly { readonly book: BookId; readonly hash: Buffer }[],
): Promise<(NumberOwner | undefined)[]> {
  const rows = await sql<{
    position: bigint;
    virtual_account_id: string;
    status: VirtualAccountStatus;
    ledger_account_id: string;
    closed: boolean;
  }>(
    `select u.position, v.virtual_account_id, v.status, v.ledger_account_id, a.closed_at is not null as closed
     from unnest($1::uuid[], $2::bytea[]) with ordinality as u (book_id, hash, position)
     cross join lateral (
       select * from virtual_account x where x.number_hash = u.hash offset 0
     ) v
     cross join lateral (
       select x.closed_at from account x where x.book_id = v.book_id and x.account_id = v.ledger_account_id offset 0
     ) a
     where v.book_id = u.book_id`,
    [
      arrayLiteral(keys.map(({ book }) => uuidOf(book))),
      keys.map(({ hash }) => `\\x${hash.toString("hex")}`),
    ],
  );
  const found = new Map(rows.map((row) => [Number(row.position), row]));
  return keys.map((_key, index) => {
    const row = found.get(index + 1);
    if (row === undefined) return undefined;
    return {
      id: idOf("va", row.virtual_account_id),
      status: row.status,
      ledgerAccountId: idOf("la", row.ledger_account_id),
      isLedgerAccountClosed: row.closed,
    };
  });
}
