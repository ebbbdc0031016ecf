import type { Database } from "../../platform/persistence/database.ts";
import { isFaultOfRows, mayConcernOneBook } from "../../platform/persistence/infrastructure-fault.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import { saveInParts } from "../../platform/save-in-parts.ts";
import type { DeliveryAnnouncements } from "./delivery-announcements.ts";
import { updateFailingSince } from "./store/failing-since.ts";
import { type AttemptRow, recordAttempts } from "./store/record-attempts.ts";

/**
 * What a killed instance has not recorded is sent again by any instance when its lease ends. Few attempts are enough
 * for a batch, because a replay goes on only when those that it has sent are recorded (`EndpointQueue`).
 */
const batches = { maxItems: 500, maxInFlight: 2, minIntervalMs: 100, enough: 16 };

/** A delivery that can't be updated fails no other. If rows of a book are locked, its attempts fail at once. */
const splits = (error: unknown) => mayConcernOneBook(error) && !isFaultOfRows(error);

/** In this order: when a success is stored, the endpoint's `failing_since` is already cleared. */
async function record(sql: Sql, attempts: readonly AttemptRow[]): Promise<void> {
  await updateFailingSince(sql, attempts);
  await recordAttempts(sql, attempts);
}

/** Records attempts together and, after a failure, those of each book alone. Then announces the change to screens. */
export function attemptRecords(
  database: Database,
  announcements: DeliveryAnnouncements,
): MicroBatch<AttemptRow, null> {
  return new MicroBatch<AttemptRow, null>(async (rows) => {
    const results = await recorded(database, rows);
    announcements.add(rows.map(({ book }) => book));
    return results;
  }, batches);
}

async function recorded(database: Database, rows: readonly AttemptRow[]): Promise<(Error | null)[]> {
  try {
    // First, as in `record`, and committed alone: its locks on endpoints end before attempts are recorded.
    await updateFailingSince(database.sql, rows);
    // With a kept plan: planning took Postgres 0.8 ms for each batch.
    await recordAttempts(database.sqlWithKeptPlan, rows);
    return rows.map(() => null);
  } catch (error) {
    if (!mayConcernOneBook(error)) throw error;
  }
  const failed = new Map<AttemptRow, Error>();
  for (const own of Map.groupBy(rows, ({ book }) => book).values()) {
    for (const { item, error } of await saveInParts(database, own, record, splits)) failed.set(item, error);
  }
  return rows.map((row) => failed.get(row) ?? null);
}
