import { setTimeout as delay } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { CheckpointMade } from "../../../contracts/messages/books.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { FailingBooks } from "../../platform/failing-books.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { failureCode } from "../../platform/persistence/infrastructure-fault.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { CONFIG, type LedgerConfig } from "../config.ts";
import type { Violation } from "../book/violation.ts";
import { freeze } from "./freeze-book.handler.ts";
import { beginPage, claimAudit, headsToAudit, saveAudit } from "./store/audit-progress.ts";
import { takeUnpublishedCheckpoint } from "./store/published-checkpoints.ts";
import { booksNotOpen } from "./store/freeze-log.ts";
import { startOfScan, verifyFullScan, startOfChain, verifyJournals } from "./verify-page.ts";

const intervalMs = 1_000;
const bookBatchSize = 500;
const hourMs = 3_600_000;
const minuteMs = 60_000;
const serializationFailure = "40001";

/**
 * Verifies every book's journals as they are appended and, once a day, scans each book from its first journal. Each
 * page is a short snapshot of its own, with a pause after it, so that the auditor costs the writer a few per cent at
 * most. It publishes the checkpoints that it has verified. Under load it falls behind and catches up later. Instances
 * share the books. Only a book that fails is frozen.
 */
@Injectable()
export class Auditor extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #config: Pick<LedgerConfig, "AUDIT_SHARE" | "AUDIT_PASS_HOURS" | "CHECKPOINT_MINUTES">;
  readonly #log: Logger;
  readonly #failing: FailingBooks;
  readonly #meters;
  #cursor = belowAllUuids;
  /** The most unaudited journals of one book, in this round over all books so far. */
  #maxUnaudited = 0;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(Metrics) metrics: Metrics,
    @Inject(CONFIG) config: Pick<LedgerConfig, "AUDIT_SHARE" | "AUDIT_PASS_HOURS" | "CHECKPOINT_MINUTES">,
    @Inject(LOG) log: Logger,
  ) {
    super("auditor", intervalMs, (signal) => this.tick(signal), log, failedTicksOf(metrics));
    this.#units = units;
    this.#database = database;
    this.#config = config;
    this.#log = log;
    this.#failing = new FailingBooks("auditor", { metrics, log });
    this.#meters = {
      failed: metrics.counter("ledger_audit_failures_total", "Books that failed an audit and were frozen"),
      frozen: metrics.gauge("ledger_books_frozen", "Books that are frozen or being unfrozen"),
      unaudited: metrics.gauge(
        "ledger_audit_behind_journals",
        "Journals not yet audited, in the book with the most, by the last round over all books",
      ),
    };
  }

  /** Verifies one page of each of the next books that are due. Returns 0 after the last book if none was due. */
  async tick(signal?: AbortSignal, at = realTime()): Promise<number> {
    const now = at.getTime();
    const scannedBefore = new Date(now - this.#config.AUDIT_PASS_HOURS * hourMs);
    const publishedBefore = new Date(now - this.#config.CHECKPOINT_MINUTES * minuteMs);
    const startedAt = performance.now();
    const heads = await headsToAudit(this.#database.sql, this.#cursor, bookBatchSize, {
      scannedBefore,
      publishedBefore,
    });
    const last = heads.at(-1);
    const wrapped = last === undefined || heads.length < bookBatchSize;
    await this.#measure(heads, wrapped);
    this.#cursor = wrapped ? belowAllUuids : last.uuid;
    await this.#pause(startedAt, signal);
    const due = heads.filter(({ due: isDue, book }) => isDue && !this.#failing.isWaiting(book, at));
    for (const { book, publishIsDue } of due) {
      if (signal?.aborted === true) return 0;
      const pageStartedAt = performance.now();
      await this.#failing.attempt(book, at, async () => {
        await this.#verifyPageAndConfirm(book, scannedBefore);
        if (publishIsDue) await this.#publishCheckpoint(book, publishedBefore);
      });
      await this.#pause(pageStartedAt, signal);
    }
    return wrapped ? due.length : 1;
  }

  /** Freezes a book only if a second check confirms the first: a false alarm would stop a tenant's money. */
  async #verifyPageAndConfirm(book: BookId, scannedBefore: Date): Promise<void> {
    const first = await this.#verifyPage(book, scannedBefore);
    if (first.length === 0) return;
    const violations = await this.#verifyPage(book, scannedBefore);
    const [violation] = violations;
    if (violation === undefined) {
      this.#log.warn(
        { book, violations: first },
        "the auditor found a violation that a second check did not confirm",
      );
      return;
    }
    const reason = `${violation.check}: ${violation.detail}`;
    const number = await this.#units.run((unit) =>
      freeze(unit, book, { reason, actor: "auditor", violations }),
    );
    if (number === null) return;
    this.#meters.failed.inc();
    this.#log.fatal(
      { book, violations },
      "a book failed its audit and was frozen: npm run prove, then npm run books -- list",
    );
  }

  async #verifyPage(book: BookId, scannedBefore: Date): Promise<readonly Violation[]> {
    try {
      return await this.#database.transaction(async ({ sql }) => {
        await beginPage(sql);
        return verifyNextPage(sql, book, scannedBefore);
      });
    } catch (error) {
      // Another instance has verified this page in the meantime; its progress is saved.
      if (failureCode(error) === serializationFailure) return [];
      throw error;
    }
  }

  /** Publishes the newest checkpoint that was verified. Two instances at once publish it once. */
  #publishCheckpoint(book: BookId, publishedBefore: Date): Promise<void> {
    return this.#units.run(async (unit) => {
      const data = await takeUnpublishedCheckpoint(unit.sql, book, publishedBefore);
      if (data !== null) unit.outbox.add(CheckpointMade, { book, subject: book, data });
    });
  }

  async #measure(
    heads: readonly { readonly unauditedJournals: number }[],
    isEndOfRound: boolean,
  ): Promise<void> {
    for (const { unauditedJournals } of heads) {
      this.#maxUnaudited = Math.max(this.#maxUnaudited, unauditedJournals);
    }
    this.#meters.frozen.set((await booksNotOpen(this.#database.sql)).length);
    if (!isEndOfRound) return;
    this.#meters.unaudited.set(this.#maxUnaudited);
    this.#maxUnaudited = 0;
  }

  /** Pauses, so that the work takes no more than AUDIT_SHARE of the time. */
  async #pause(since: number, signal: AbortSignal | undefined): Promise<void> {
    const pauseMs = (performance.now() - since) * (1 / this.#config.AUDIT_SHARE - 1);
    if (pauseMs < 1 || signal?.aborted === true) return;
    // Aborted: the service is stopping.
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Verifies one page of new journals, and one of the full scan while it is due. Saves no progress past a violation. */
async function verifyNextPage(sql: Sql, book: BookId, scannedBefore: Date): Promise<readonly Violation[]> {
  const claimed = await claimAudit(sql, book, scannedBefore);
  if (claimed === null) return [];
  const { audit, head } = claimed;
  const tail = await verifyJournals(sql, head, audit.tail ?? startOfChain(head));
  if (tail.violations.length > 0) return tail.violations;
  const scanning = audit.scan !== null || audit.scanIsDue;
  const scan = scanning ? await verifyFullScan(sql, head, audit.scan ?? startOfScan(head)) : null;
  if (scan !== null && scan.violations.length > 0) return scan.violations;
  const scanState = scan?.state ?? null;
  await saveAudit(sql, head, {
    tail: tail.state,
    scan: scanState,
    scanEnded: scanning && scanState === null,
  });
  return [];
}
