import type { AccountOwner } from "../../../../contracts/http/ledger/ledger-accounts.ts";
import { spellingsOf } from "../../../../contracts/text/text.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { isSystem } from "../../book/chart-of-accounts.ts";
import { bookIndexFilter } from "../../posting/store/tenant-snapshot.ts";
import { accountColumns, type AccountPageRow, findAccountsByName, withBalance } from "./accounts.ts";

/** The accounts of the owners, newest first, `limit + 1` of them; at most one per name or externalId that is given. */
export async function listAccounts(
  sql: Sql,
  book: string,
  page: {
    readonly owners: readonly AccountOwner[];
    readonly names: readonly string[] | null;
    readonly externalIds: readonly string[] | null;
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<AccountPageRow[]> {
  const below = page.after ?? aboveAllUuids;
  const [ofTenant, ofSystem] = [page.owners.includes("Tenant"), page.owners.includes("System")];
  if (page.names !== null || page.externalIds !== null) {
    return (await findNamedAccounts(sql, book, page))
      .filter((named) => (isSystem(named.class) ? ofSystem : ofTenant) && named.account_id < below)
      .sort((a, b) => (a.account_id < b.account_id ? 1 : -1))
      .slice(0, page.limit + 1);
  }
  return sql<AccountPageRow>(
    `select ${accountColumns}
     from account a
     ${withBalance}
     where a.book_id = $1
       ${ofSystem ? "" : "and a.class = 'Tenant'"}
       -- The predicate of the index account_system: a book has few system accounts among many of the tenant.
       ${ofTenant ? "" : "and a.class <> 'Tenant'"}
       and a.account_id < $2
     order by a.account_id desc
     limit $3`,
    [book, below, page.limit + 1],
  );
}

/** The accounts of these externalIds, in no order. */
function findAccountsByExternalId(
  sql: Sql,
  book: string,
  externalIds: readonly string[],
): Promise<AccountPageRow[]> {
  return sql<AccountPageRow>(
    `select ${accountColumns}
     from (
       select x.*
       from account x
       where x.external_id = any($2::text[])
         -- Not by the book's own column, else the planner might read all accounts of the book.
         and ${bookIndexFilter("x")}
       offset 0
     ) a
     ${withBalance}`,
    [book, [...new Set(externalIds)]],
  );
}

/** The accounts of the given names and externalIds, in no order; with both, those that have one of each. */
async function findNamedAccounts(
  sql: Sql,
  book: string,
  {
    names,
    externalIds,
  }: { readonly names: readonly string[] | null; readonly externalIds: readonly string[] | null },
): Promise<AccountPageRow[]> {
  if (externalIds === null) return findAccountsByName(sql, book, names ?? []);
  const found = await findAccountsByExternalId(sql, book, externalIds);
  const spellings = names?.flatMap(spellingsOf);
  return spellings === undefined ? found : found.filter(({ name }) => spellings.includes(name));
}
