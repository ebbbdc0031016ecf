import { afterPrefix, type Sql } from "../../../platform/persistence/sql.ts";

interface NamedRow {
  id: string;
  name: string;
  external_id: string | null;
  status: string;
  created_at: Date;
}

/** Exactly the expression of the indexes account_by_name_prefix and virtual_account_by_name_prefix. */
const key = (text: string) => `name_key(${text}) collate "C"`;

/** How a full index names the book (0001). */
const bookOfFullIndex = "greatest(x.book_id, '00000000-0000-0000-0000-000000000000')";

/**
 * A walk along an index of names, from the prefix on. `$1` is the book. The limit is no parameter: for one that it does
 * not know, Postgres plans to read the whole book.
 */
const walk = (table: string, id: string, book: string, owner: string, limit: number) => `
  select x.${id}
  from ${table} x
  where ${book} = $1
    and ${key("x.name")} >= ${key("$2::text")}
    and ${key("x.name")} < ${key("$2::text")} || $3
    ${owner}
  order by ${key("x.name")}, x.${id}
  limit ${String(limit)}`;
const params = (book: string, prefix: string) => [book, prefix, afterPrefix("")];

/**
 * The tenant's accounts whose names begin with the prefix, compared as `name_key` does, by name. Read with the
 * service's own rights: an index on an expression that is not leakproof can't be walked under row-level security.
 */
export function findAccountsByPrefix(
  sql: Sql,
  book: string,
  prefix: string,
  limit: number,
): Promise<NamedRow[]> {
  return sql<NamedRow>(
    `select a.account_id as id, a.name, a.external_id,
       case when a.closed_at is null then 'Open' else 'Closed' end as status, a.created_at
     from (${walk("account", "account_id", "x.book_id", "and x.class = 'Tenant'", limit)}) f
     cross join lateral (
       select * from account x where x.book_id = $1 and x.account_id = f.account_id offset 0
     ) a`,
    params(book, prefix),
  );
}

/** The same of virtual accounts. */
export function findVirtualAccountsByPrefix(
  sql: Sql,
  book: string,
  prefix: string,
  limit: number,
): Promise<NamedRow[]> {
  return sql<NamedRow>(
    `select v.virtual_account_id as id, v.name, v.external_id, v.status, v.created_at
     from (${walk("virtual_account", "virtual_account_id", bookOfFullIndex, "", limit)}) f
     cross join lateral (
       select * from virtual_account x where x.book_id = $1 and x.virtual_account_id = f.virtual_account_id offset 0
     ) v`,
    params(book, prefix),
  );
}
