import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Database } from "../../../platform/persistence/database.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";

/**
 * Reads for a tenant: as the role `ledger_reader`, which may select and nothing else, and to which Postgres shows the
 * rows of this book alone (0016), whatever a statement forgets. One snapshot, one round trip for one statement. After
 * five seconds nobody waits for the answer any more (Requester).
 */
export function readTenantSnapshot<T>(
  database: Database,
  book: BookId,
  read: (sql: Sql, book: string) => Promise<T>,
): Promise<T> {
  const uuid = uuidOf(book);
  if (!/^[0-9a-f-]{36}$/.test(uuid)) throw new TypeError(`${uuid} is no uuid`);
  const opening = `set local role ledger_reader; set local ledger.book = '${uuid}'; set local statement_timeout = '5s'`;
  return database.read(opening, (sql) => read(sql, uuid));
}

/**
 * `<table>.book_id = $1` in the words of the indexes behind the first (0016): the book is in their keys, and nobody
 * comes by the book alone. In a policy's shade only what can't leak may use an index: so not by `uuid_send`.
 */
export const bookIndexFilter = (table: string) =>
  `greatest(${table}.book_id, '${belowAllUuids}'::uuid) = $1::uuid`;
