import type { Logger } from "pino";
import { BatchByBook, type BookFilter } from "../../platform/handlers/batch-by-book.ts";
import type { UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Metrics } from "../../platform/observability/metrics.ts";
import type { Database } from "../../platform/persistence/database.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { Lease } from "./domain/delivery.ts";
import type { LaneCapacity } from "./http/endpoint-queues.ts";
import { booksWithDueDeliveries, type ClaimedRow, claimDue } from "./store/deliveries.ts";
import { endLeases } from "./store/leases.ts";

const maxPerClaim = 1_000;
const maxPerLaneAndClaim = 200;
const maxBooksPerClaim = 200;

interface Parts {
  readonly units: UnitOfWorkRunner;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly newLease: () => Lease;
  /** How many deliveries to claim at most, for the endpoints that have a queue. */
  readonly capacities: () => readonly LaneCapacity[];
  /** The leases of new deliveries that were all recorded since the last call. */
  readonly takeRecorded: (now: Date) => readonly string[];
}

export interface ClaimedDelivery {
  readonly row: ClaimedRow;
  readonly lease: Lease;
}

/** Claims due deliveries of all endpoints; rows of one book that can't be updated don't stop those of the others. */
export class ClaimDeliveries {
  readonly #parts: Parts;
  readonly #batches: BatchByBook<ClaimedDelivery>;
  #afterEndpoint = belowAllUuids;

  constructor(worker: string, parts: Parts) {
    this.#parts = parts;
    const work = {
      process: (unit: UnitOfWork, at: Date, filter: BookFilter) => this.#claimWithin(unit, at, filter),
      booksDue: (sql: Sql, at: Date, filter: BookFilter) =>
        booksWithDueDeliveries(sql, at, maxBooksPerClaim, filter),
    };
    this.#batches = new BatchByBook(worker, work, parts);
  }

  /** Claims what is due at `at`. `startsOver` is true if the next claim begins with the first endpoint again. */
  async claim(
    at: Date,
  ): Promise<{ readonly claimed: readonly ClaimedDelivery[]; readonly startsOver: boolean }> {
    const from = this.#afterEndpoint;
    const claimed = await this.#batches.run(at);
    const isLast = claimed.length < maxPerClaim;
    // Each claim starts after the endpoint where the last one ended, so that busy endpoints don't starve the others.
    this.#afterEndpoint = isLast ? belowAllUuids : highestEndpointId(claimed);
    return { claimed, startsOver: isLast && from !== belowAllUuids };
  }

  async #claimWithin({ sql }: UnitOfWork, now: Date, filter: BookFilter): Promise<ClaimedDelivery[]> {
    const lease = this.#parts.newLease();
    const claim = {
      capacities: this.#parts.capacities(),
      maxPerLane: maxPerLaneAndClaim,
      maxDeliveries: maxPerClaim,
      afterEndpoint: filter.only ? belowAllUuids : this.#afterEndpoint,
      filter,
      lease,
      now,
    };
    const [, rows] = await pipeline(
      sql,
      // If the transaction fails, the recorded leases stay until they end.
      (tx) => endLeases(tx, this.#parts.takeRecorded(now), now, filter),
      (tx) => claimDue(tx, claim),
    );
    return rows.map((row) => ({ row, lease }));
  }
}

function highestEndpointId(claimed: readonly ClaimedDelivery[]): string {
  return claimed.reduce((last, { row }) => (row.endpoint_id > last ? row.endpoint_id : last), belowAllUuids);
}
