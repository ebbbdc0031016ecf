import { asError } from "./as-error.ts";
import { bisect } from "./bisect.ts";
import type { Database } from "./persistence/database.ts";
import { mayConcernOneBook } from "./persistence/infrastructure-fault.ts";
import { limitToOneBook } from "./persistence/session-limits.ts";
import type { Sql } from "./persistence/sql.ts";

/** What could not be saved, and why. */
export interface Unsaved<T> {
  readonly item: T;
  readonly error: Error;
}

/**
 * Saves items together and, after a failure that `splits` accepts, in halves, so that a row that is locked or can't be
 * updated stops no other item. Returns the items that could not be saved.
 */
export async function saveInParts<T>(
  database: Database,
  items: readonly T[],
  save: (sql: Sql, items: readonly T[]) => Promise<void>,
  splits: (error: unknown) => boolean = mayConcernOneBook,
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
    splits,
  );
  return unsaved;
}
