import { asError } from "../../platform/as-error.ts";
import { bisect } from "../../platform/bisect.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { mayConcernOneBook } from "../../platform/persistence/infrastructure-fault.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

/** What could not be saved, and why. */
export interface Unsaved<T> {
  readonly item: T;
  readonly error: Error;
}

/**
 * Saves items of several tenants together and, if that fails, in halves: a tenant's rows that are locked, or can't be
 * updated, keep no other's from being saved. Returns the items that could not be saved.
 */
export async function saveInParts<T>(
  database: Database,
  items: readonly T[],
  save: (sql: Sql, items: readonly T[]) => Promise<void>,
): Promise<readonly Unsaved<T>[]> {
  const unsaved: Unsaved<T>[] = [];
  await bisect<T, null>(
    items,
    async (part) => {
      await database.transaction(async ({ sql }) => {
        await limitToOneBook(sql);
        await save(sql, part);
      });
      return part.map(() => null);
    },
    (part, error) => {
      unsaved.push(...part.map((item) => ({ item, error: asError(error) })));
      return part.map(() => null);
    },
    mayConcernOneBook,
  );
  return unsaved;
}
