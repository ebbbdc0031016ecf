import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Database } from "../../../platform/persistence/database.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";

/**
 * Reads for a tenant as the role `ledger_reader`, which may only select. Row-level security shows it only the rows of
 * this book, even if a statement forgets its filter (0007-roles.sql). All reads see one snapshot; a single statement
 * costs one round trip. A statement ends after five seconds, when RpcClient no longer waits for the answer.
 */
export function readTenantSnapshot<T>(
  database: Database,
  book: BookId,
  read: (sql: Sql, book: string) => Promise<T>,
): Promise<T> {
  const uuid = uuidOf(book);
  if (!/^[0-9a-f-]{36}$/.test(uuid)) throw new TypeError(`${uuid} is not a uuid`);
  const opening = [
    "set local role ledger_reader",
    `set local ledger.book = '${uuid}'`,
    "set local statement_timeout = '5s'",
  ];
  return database.read(opening, (sql) => read(sql, uuid));
}

/**
 * `<table>.book_id = $1`, in the words of those secondary indexes that have the book as an expression
 * (docs/sql.md).
 */
export const bookIndexFilter = (table: string) =>
  `greatest(${table}.book_id, '${belowAllUuids}'::uuid) = $1::uuid`;
