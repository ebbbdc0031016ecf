import { type BookId, type CounterpartyId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { maskedAccountNumber, type Rail } from "../../../../contracts/rails/rails.ts";
import { afterPrefix, type Sql } from "../../../platform/persistence/sql.ts";

export interface NamedCounterparty {
  readonly id: CounterpartyId;
  readonly name: string;
  readonly externalId: string | null;
  readonly status: string;
  readonly createdAt: string;
  /** Its first account, with the number masked; null if it has none. */
  readonly account: { readonly rail: Rail; readonly accountNumber: string } | null;
}

/** Exactly the expression of the index counterparty_by_name_prefix. */
const key = (text: string) => `casefold(${text} collate pg_unicode_fast) collate "C"`;

/**
 * The counterparties whose names begin with the prefix, whatever the case, without archived ones. By name.
 * The limit is no parameter: for one that it does not know, Postgres plans to read the whole book.
 */
export async function findByNamePrefix(
  sql: Sql,
  book: BookId,
  prefix: string,
  limit: number,
): Promise<NamedCounterparty[]> {
  const rows = await sql<{
    id: string;
    name: string;
    external_id: string | null;
    status: string;
    created_at: Date;
    rail: Rail | null;
    last4: string | null;
  }>(
    `select c.*, a.rail, a.last4
     from (
       select c.id, c.name, c.external_id, c.verification_status as status, c.created_at
       from counterparty c
       where c.book_id = $1
         and ${key("c.name")} >= ${key("$2::text")}
         and ${key("c.name")} < ${key("$3::text")}
         and c.archived_at is null
       order by ${key("c.name")}, c.id
       limit ${String(limit)}
     ) c
     left join lateral (
       select rail, last4
       from counterparty_account
       where book_id = $1
         and counterparty_id = c.id
       order by position
       limit 1
     ) a on true
     order by ${key("c.name")}, c.id`,
    [uuidOf(book), prefix, afterPrefix(prefix)],
  );
  return rows.map(({ rail, last4, ...row }) => ({
    id: idOf("cp", row.id),
    name: row.name,
    externalId: row.external_id,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    account: rail === null ? null : { rail, accountNumber: maskedAccountNumber(last4 ?? "") },
  }));
}
