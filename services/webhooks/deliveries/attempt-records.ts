import type { Database } from "../../platform/persistence/database.ts";
import { isFaultOfRows, mayConcernOneBook } from "../../platform/persistence/infrastructure-fault.ts";
import { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import { saveInParts } from "../../platform/save-in-parts.ts";
import { type AttemptRow, recordAttempts } from "./store/record-attempts.ts";

const batches = { maxItems: 500, maxInFlight: 2, minIntervalMs: 15 };

/** A delivery that can't be updated fails no other. If rows of a book are locked, its attempts fail at once. */
const splits = (error: unknown) => mayConcernOneBook(error) && !isFaultOfRows(error);

/** Records attempts together and, after a failure, those of each book alone. */
export function attemptRecords(database: Database): MicroBatch<AttemptRow, null> {
  return new MicroBatch<AttemptRow, null>(async (rows) => {
    try {
      await recordAttempts(database.sql, rows);
      return rows.map(() => null);
    } catch (error) {
      if (!mayConcernOneBook(error)) throw error;
    }
    const failed = new Map<AttemptRow, Error>();
    for (const own of Map.groupBy(rows, ({ book }) => book).values()) {
      for (const { item, error } of await saveInParts(database, own, recordAttempts, splits))
        failed.set(item, error);
    }
    return rows.map((row) => failed.get(row) ?? null);
  }, batches);
}
