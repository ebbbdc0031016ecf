import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { foldDeltas, maxFolded } from "./store/delivery-counts.ts";

const intervalMs = 5_000;

/** Folds what the triggers count into one counter for each endpoint and day. A statement reads both. */
@Injectable()
export class FoldDeltas extends PollingWorker {
  constructor(
    @Inject(Database) database: Database,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    // What is counted from now on waits for the next tick, so that many rows are folded at once.
    const tick = async () => ((await foldDeltas(database.sql)) === maxFolded ? maxFolded : 0);
    super("fold-delivery-counts", intervalMs, tick, log, failedTicksOf(metrics));
  }
}
