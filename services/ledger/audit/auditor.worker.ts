import { setTimeout as delay } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import { failureCode } from "../../platform/persistence/infrastructure-fault.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { CONFIG, type LedgerConfig } from "../config.ts";
import type { Violation } from "./domain/hash-chain.ts";
import { freeze } from "./freeze-book.handler.ts";
import { claimAudit, headsToAudit, keepAudit } from "./store/audit-progress.ts";
import { examinedBooks } from "./store/freeze-log.ts";
import { passFromTheFirst, passOn, walkFromTheFirst, walkOn } from "./verify-page.ts";

const intervalMs = 1_000;
const booksAtOnce = 500;
const hourMs = 3_600_000;
const serializationFailure = "40001";

/**
 * The auditor. Goes through every book's journals as they come and, once a day, through all of it from the first. Each
 * page is a short snapshot of its own, and between pages it rests, so that it costs the writer a few per cent at most:
 * under load it falls behind, and catches up. Instances share the books. A book that fails is frozen, alone, and says
 * so; the others go on.
 */
@Injectable()
export class GoThroughBooks extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #config: Pick<LedgerConfig, "AUDIT_SHARE" | "AUDIT_PASS_HOURS">;
  readonly #log: Logger;
  readonly #meters;
  #cursor = belowAllUuids;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(Metrics) metrics: Metrics,
    @Inject(CONFIG) config: Pick<LedgerConfig, "AUDIT_SHARE" | "AUDIT_PASS_HOURS">,
    @Inject(LOG) log: Logger,
  ) {
    super("go-through-books", intervalMs, (signal) => this.turn(signal), log);
    this.#units = units;
    this.#database = database;
    this.#config = config;
    this.#log = log;
    this.#meters = {
      failed: metrics.counter("ledger_audit_failures_total", "Books that the auditor found broken and froze"),
      frozen: metrics.gauge("ledger_books_frozen", "Books that are frozen or being released"),
      behind: metrics.gauge("ledger_audit_behind_journals", "The most that a book is ahead of the auditor"),
    };
  }

  /** Looks at the next books, one page of each that has work; gives 0 when it is around and nothing was to do. */
  async turn(signal?: AbortSignal): Promise<number> {
    const passedBefore = new Date(Date.now() - this.#config.AUDIT_PASS_HOURS * hourMs);
    const startedAt = performance.now();
    const heads = await headsToAudit(this.#database.sql, this.#cursor, booksAtOnce, passedBefore);
    const last = heads.at(-1);
    const around = last === undefined || heads.length < booksAtOnce;
    if (this.#cursor === belowAllUuids) await this.#measure(heads);
    this.#cursor = around ? belowAllUuids : last.uuid;
    await this.#rest(startedAt, signal);
    const due = heads.filter((head) => head.due);
    for (const { book } of due) {
      if (signal?.aborted === true) return 0;
      const pageAt = performance.now();
      await this.#look(book, passedBefore);
      await this.#rest(pageAt, signal);
    }
    return around ? due.length : 1;
  }

  /** One page, seen twice before it is believed: a false alarm would stop a tenant's money. */
  async #look(book: BookId, passedBefore: Date): Promise<void> {
    const first = await this.#page(book, passedBefore);
    if (first.length === 0) return;
    const faults = await this.#page(book, passedBefore);
    const [fault] = faults;
    if (fault === undefined) {
      this.#log.warn({ book, faults: first }, "the auditor saw a fault once, and not again");
      return;
    }
    const reason = `${fault.check}: ${fault.detail}`;
    const number = await this.#units.run((unit) => freeze(unit, book, { reason, by: "auditor", faults }));
    if (number === null) return;
    this.#meters.failed.inc();
    this.#log.fatal(
      { book, faults },
      "a book is broken and was frozen: npm run prove, then npm run books -- list",
    );
  }

  async #page(book: BookId, passedBefore: Date): Promise<readonly Violation[]> {
    try {
      return await this.#database.transaction(async ({ sql }) => {
        await sql("set transaction isolation level repeatable read");
        return goOn(sql, book, passedBefore);
      });
    } catch (error) {
      // Another instance was quicker in this book: what it noted stands.
      if (failureCode(error) === serializationFailure) return [];
      throw error;
    }
  }

  async #measure(heads: readonly { readonly behind: number }[]): Promise<void> {
    this.#meters.behind.set(heads.reduce((most, { behind }) => Math.max(most, behind), 0));
    this.#meters.frozen.set((await examinedBooks(this.#database.sql)).length);
  }

  /** Rests for as long as its share of the time asks for. */
  async #rest(since: number, signal: AbortSignal | undefined): Promise<void> {
    const restMs = (performance.now() - since) * (1 / this.#config.AUDIT_SHARE - 1);
    if (restMs < 1 || signal?.aborted === true) return;
    // Aborted: the service ends.
    await delay(restMs, undefined, { signal }).catch(() => undefined);
  }
}

/** One page of what came, and one of the pass from the first while it is due. Notes nothing where there is a fault. */
async function goOn(sql: Sql, book: BookId, passedBefore: Date): Promise<readonly Violation[]> {
  const claimed = await claimAudit(sql, book, passedBefore);
  if (claimed === null) return [];
  const { audit, head } = claimed;
  const tail = await walkOn(sql, head, audit.tail ?? walkFromTheFirst(head));
  if (tail.faults.length > 0) return tail.faults;
  const passing = audit.pass !== null || audit.passIsDue;
  const pass = passing ? await passOn(sql, head, audit.pass ?? passFromTheFirst(head)) : null;
  if (pass !== null && pass.faults.length > 0) return pass.faults;
  const passState = pass?.state ?? null;
  await keepAudit(sql, head, { tail: tail.state, pass: passState, passEnded: passing && passState === null });
  return [];
}
