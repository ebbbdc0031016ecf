import type { z } from "zod";
import type { counterpartyQuery } from "../../../../contracts/http/payments/counterparties.ts";
import { type BookId, type CounterpartyId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Counterparty, CounterpartyAccount } from "../../order/counterparty.ts";

interface CounterpartyRow {
  book_id: string;
  id: string;
  name: string;
  type: Counterparty["type"];
  email: string | null;
  external_id: string | null;
  metadata: Record<string, string>;
  verification_status: Counterparty["verificationStatus"];
  verified_by: string | null;
  verified_at: Date | null;
  details_entered_by: string[];
  version: number;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  accounts: CounterpartyAccount[] | null;
}

/** With its accounts in the same statement: read apart, they could be another version's. */
const columns = `c.*, (
    select jsonb_agg(jsonb_build_object(
      'rail', a.rail,
      'accountNumber', jsonb_build_object('keyId', a.key_id, 'ciphertext', a.ciphertext, 'last4', a.last4),
      'routingNumber', a.routing_number, 'accountType', a.account_type) order by a.position)
    from counterparty_account a
    where a.book_id = c.book_id
      and a.counterparty_id = c.id) as accounts`;

function counterpartyOf(row: CounterpartyRow): Counterparty {
  return {
    id: idOf("cp", row.id),
    book: idOf("book", row.book_id),
    name: row.name,
    type: row.type,
    email: row.email,
    externalId: row.external_id,
    accounts: row.accounts ?? [],
    metadata: row.metadata,
    verificationStatus: row.verification_status,
    verifiedBy: row.verified_by,
    verifiedAt: row.verified_at,
    detailsEnteredBy: row.details_entered_by,
    version: row.version,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Where one is kept: another book's id finds nothing. */
export interface CounterpartyKey {
  readonly book: BookId;
  readonly id: CounterpartyId;
}

/** These counterparties, each as one statement sees it; those that are not in that book are not there. */
export async function readCounterparties(
  sql: Sql,
  keys: readonly CounterpartyKey[],
): Promise<Map<CounterpartyId, Counterparty>> {
  const rows = await sql<CounterpartyRow>(
    `select ${columns}
     from unnest($1::uuid[], $2::uuid[]) as k (book_id, id)
     cross join lateral (
       select * from counterparty n
       where n.book_id = k.book_id
         and n.id = k.id
       offset 0
     ) c`,
    [keys.map(({ book }) => uuidOf(book)), keys.map(({ id }) => uuidOf(id))],
  );
  return new Map(rows.map(counterpartyOf).map((counterparty) => [counterparty.id, counterparty]));
}

/**
 * One counterparty for change, or undefined. Locked first and read afterwards: a statement that waited for the lock
 * would show the accounts as they were before it waited.
 */
export async function lockCounterparty(sql: Sql, key: CounterpartyKey): Promise<Counterparty | undefined> {
  await sql("select 1 from counterparty where book_id = $1 and id = $2 for update", [
    uuidOf(key.book),
    uuidOf(key.id),
  ]);
  return (await readCounterparties(sql, [key])).get(key.id);
}

/** A page of the book's counterparties, newest first, one row more than `limit` when there are more. */
export async function listCounterparties(
  sql: Sql,
  book: BookId,
  query: z.output<typeof counterpartyQuery>,
  afterUuid: string | null,
): Promise<Counterparty[]> {
  const params: unknown[] = [uuidOf(book), query.limit + 1];
  // Only what is asked for stands in the statement, so that each filter finds its index.
  const asked = (condition: string, value: unknown) =>
    value === undefined || value === null ? "" : `and ${condition} $${String(params.push(value))}`;
  const rows = await sql<CounterpartyRow>(
    `select ${columns}
     from counterparty c
     where c.book_id = $1
       ${asked("c.id <", afterUuid)}
       ${asked("c.external_id =", query.externalId)}
       ${asked("c.version > 0 and c.name =", query.name)}
       ${asked("c.version > 0 and c.verification_status =", query.verificationStatus)}
     order by c.id desc
     limit $2`,
    params,
  );
  return rows.map(counterpartyOf);
}

function fieldsOf(counterparty: Counterparty): unknown[] {
  return [
    uuidOf(counterparty.book),
    uuidOf(counterparty.id),
    counterparty.name,
    counterparty.type,
    counterparty.email,
    counterparty.externalId,
    JSON.stringify(counterparty.metadata),
    counterparty.verificationStatus,
    counterparty.verifiedBy,
    counterparty.verifiedAt,
    counterparty.detailsEnteredBy,
    counterparty.version,
    counterparty.updatedAt,
  ];
}

/** Inserts it with its accounts; false, and nothing done, where another one of the book has its externalId. */
export async function insertCounterparty(sql: Sql, counterparty: Counterparty): Promise<boolean> {
  const inserted = await sql(
    `insert into counterparty (book_id, id, name, type, email, external_id, metadata, verification_status, verified_by,
       verified_at, details_entered_by, version, updated_at, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (book_id, external_id) where external_id is not null do nothing
     returning 1`,
    [...fieldsOf(counterparty), counterparty.createdBy, counterparty.createdAt],
  );
  if (inserted.length === 0) return false;
  await insertAccounts(sql, counterparty);
  return true;
}

/** Writes what a locked counterparty became, its accounts anew. Throws the driver's error for a taken externalId. */
export async function saveCounterparty(sql: Sql, counterparty: Counterparty): Promise<void> {
  const { book, id } = counterparty;
  await Promise.all([
    sql(
      `update counterparty
       set name = $3,
           type = $4,
           email = $5,
           external_id = $6,
           metadata = $7::jsonb,
           verification_status = $8,
           verified_by = $9,
           verified_at = $10,
           details_entered_by = $11,
           version = $12,
           updated_at = $13
       where book_id = $1
         and id = $2`,
      fieldsOf(counterparty),
    ),
    sql("delete from counterparty_account where book_id = $1 and counterparty_id = $2", [
      uuidOf(book),
      uuidOf(id),
    ]),
    insertAccounts(sql, counterparty),
  ]);
}

async function insertAccounts(sql: Sql, { book, id, accounts }: Counterparty): Promise<void> {
  if (accounts.length === 0) return;
  const rows = accounts.map(({ rail, accountNumber, routingNumber, accountType }, position) => ({
    rail,
    position,
    key_id: accountNumber.keyId,
    ciphertext: accountNumber.ciphertext,
    last4: accountNumber.last4,
    routing_number: routingNumber,
    account_type: accountType,
  }));
  await sql(
    `insert into counterparty_account (book_id, counterparty_id, rail, position, key_id, ciphertext, last4,
       routing_number, account_type)
     select $1, $2, a.*
     from jsonb_to_recordset($3::jsonb) as a (
       rail text, position int, key_id text, ciphertext text, last4 text, routing_number text, account_type text
     )`,
    [uuidOf(book), uuidOf(id), JSON.stringify(rows)],
  );
}
