import { asError } from "../../platform/as-error.ts";
import { bisect } from "../../platform/bisect.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { isFaultOfRows, mayConcernOneBook } from "../../platform/persistence/infrastructure-fault.ts";
import { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { type AttemptRow, recordAttempts } from "./store/deliveries.ts";

const batches = { maxItems: 500, maxInFlight: 2, minIntervalMs: 15 };

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
    for (const own of Map.groupBy(rows, ({ book }) => book).values())
      await recordAlone(database, own, failed);
    return rows.map((row) => failed.get(row) ?? null);
  }, batches);
}

/**
 * Records the attempts of one book, in halves if that fails: a delivery that can't be updated fails no other. If its
 * rows are locked, all fail at once, because the other books wait.
 */
async function recordAlone(
  database: Database,
  rows: readonly AttemptRow[],
  failed: Map<AttemptRow, Error>,
): Promise<void> {
  await bisect<AttemptRow, null>(
    rows,
    async (part) => {
      await database.transaction(async ({ sql }) => {
        await limitToOneBook(sql);
        await recordAttempts(sql, part);
      });
      return part.map(() => null);
    },
    (part, error) => {
      for (const row of part) failed.set(row, asError(error));
      return part.map(() => null);
    },
    (error) => mayConcernOneBook(error) && !isFaultOfRows(error),
  );
}
