import { asError } from "../../platform/as-error.ts";
import { bisect } from "../../platform/bisect.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { mayConcernOneBook } from "../../platform/persistence/infrastructure-fault.ts";
import { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { type AttemptRow, recordAttempts } from "./store/deliveries.ts";

const batches = { maxItems: 500, maxInFlight: 2, minIntervalMs: 15 };

/** Records attempts together and, after a failure, in halves: a delivery that can't be updated fails no other. */
export function attemptRecords(database: Database): MicroBatch<AttemptRow, null> {
  return new MicroBatch<AttemptRow, null>((rows) => {
    const record = async (part: readonly AttemptRow[]) => {
      if (part.length === rows.length) await recordAttempts(database.sql, part);
      else
        await database.transaction(async ({ sql }) => {
          await limitToOneBook(sql);
          await recordAttempts(sql, part);
        });
      return part.map(() => null);
    };
    return bisect<AttemptRow, null | Error>(
      rows,
      record,
      (failed, error) => failed.map(() => asError(error)),
      mayConcernOneBook,
    );
  }, batches);
}
