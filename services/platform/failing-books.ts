import type { Logger } from "pino";
import type { BookId } from "../../contracts/ids/ids.ts";
import { failedTicksOf } from "./observability/failed-ticks.ts";
import type { Metrics } from "./observability/metrics.ts";
import { mayConcernOneBook } from "./persistence/infrastructure-fault.ts";

/** What the work of a book returns if it did nothing, because another instance does it: neither success nor failure. */
export const notTried = Symbol("not tried");

const firstBackOffMs = 5_000;
const longestBackOffMs = 60_000;

/** How long to wait after this many failures in a row: 5 s, then twice as long each time, up to a minute. */
export function backOffMs(failures: number): number {
  return Math.min(longestBackOffMs, firstBackOffMs * 2 ** (failures - 1));
}

/**
 * The books for which a worker's work fails. Each waits, and is tried again after 5 s, then after twice as long each
 * time, up to a minute. The list is in memory: a row that can't be updated can't be postponed either, and each
 * instance has its own.
 */
export class FailingBooks {
  readonly #worker: string;
  readonly #log: Logger;
  readonly #countFailedTick;
  readonly #failing = new Map<BookId, { readonly failures: number; readonly retryAt: Date }>();

  constructor(worker: string, { metrics, log }: { readonly metrics: Metrics; readonly log: Logger }) {
    this.#worker = worker;
    this.#log = log;
    this.#countFailedTick = failedTicksOf(metrics);
  }

  get all(): readonly BookId[] {
    return [...this.#failing.keys()];
  }

  /** Those whose retry is due. */
  due(at: Date): BookId[] {
    return this.all.filter((book) => !this.isWaiting(book, at));
  }

  /** Those whose retry is not due. */
  waiting(at: Date): BookId[] {
    return this.all.filter((book) => this.isWaiting(book, at));
  }

  /**
   * True while the book has failed and its retry is not due. A retry further ahead than the longest wait was set before
   * the clock stepped back, and is due.
   */
  isWaiting(book: BookId, at: Date): boolean {
    const failing = this.#failing.get(book);
    if (failing === undefined) return false;
    const waitMs = failing.retryAt.getTime() - at.getTime();
    return waitMs > 0 && waitMs <= longestBackOffMs;
  }

  /**
   * Runs the work of one book. If it fails, that is logged and counted, the book waits for its retry, and the result is
   * undefined. If the work returns `notTried`, that is neither a success nor a failure. Throws only if the database is
   * unavailable.
   */
  async attempt<T>(book: BookId, at: Date, work: () => Promise<T>): Promise<T | undefined> {
    const worker = this.#worker;
    try {
      const result = await work();
      if (result !== notTried && this.#failing.delete(book))
        this.#log.warn({ book, worker }, "the book's rows are processed again");
      return result;
    } catch (error) {
      if (!mayConcernOneBook(error)) throw error;
      this.#countFailedTick(worker);
      this.#log.error(
        { err: error, book, worker },
        "a book's rows failed; they stay due, and other books go on",
      );
      const failures = 1 + (this.#failing.get(book)?.failures ?? 0);
      this.#failing.set(book, { failures, retryAt: new Date(at.getTime() + backOffMs(failures)) });
      return undefined;
    }
  }
}
