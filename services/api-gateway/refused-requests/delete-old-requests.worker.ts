import type { Logger } from "pino";
import type { Database } from "../../platform/persistence/database.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { deleteOldRequests } from "./store/refused-requests.ts";

const hourMs = 3_600_000;

/** Deletes refused requests after seven days, in batches. Every instance runs it; the second finds nothing. */
export class DeleteOldRequests extends PollingWorker {
  constructor(database: Database, log: Logger, countFailedTick: (worker: string) => void) {
    super("delete-old-requests", hourMs, () => deleteOldRequests(database.sql), log, countFailedTick);
  }
}
