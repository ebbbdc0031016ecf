import { asError } from "../as-error.ts";
import { Pace } from "./pace.ts";

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: Error) => void;
}

interface MicroBatchOptions<In> {
  readonly maxItems: number;
  /** The number of batches that may run at once. */
  readonly maxInFlight: number;
  /** Asked for each item just before its batch runs. An item that it returns an error for is rejected. */
  readonly refuse?: (item: In) => Error | undefined;
  /** The time between the starts of two batches. One with `enough` items, and one after idleness, starts at once. */
  readonly minIntervalMs?: number;
  /** An item that finds no other waiting and no batch running starts at once. */
  readonly loneAtOnce?: boolean;
  /** How many batches may start at once after idleness. Default: 1. */
  readonly burst?: number;
  /** A batch with this many items starts at once. Default: `maxItems`. */
  readonly enough?: number;
  /** The weights of a batch's items sum up to `max` at most. A heavier item runs alone. */
  readonly weight?: { readonly of: (item: In) => number; readonly max: number };
}

/**
 * Micro-batches: the items that arrive while one batch runs form the next. A lone item waits for nothing, unless
 * `minIntervalMs` makes it wait for others. Under load up to `maxItems` items share a commit. (Order inserts: 15.6k/s,
 * against 4.7k/s one by one.)
 *
 * `run` returns one result per item, in order; an `Error` among them rejects only its own item. If `run` throws, all
 * items of the batch are rejected.
 */
export class MicroBatch<In, Out> {
  readonly #run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>;
  readonly #options: MicroBatchOptions<In>;
  #queue: Waiting<In, Out>[] = [];
  #running = 0;
  readonly #pace: Pace;
  #isWaiting = false;

  constructor(
    run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
    options: MicroBatchOptions<In>,
  ) {
    this.#run = run;
    this.#options = options;
    this.#pace = new Pace(options.minIntervalMs ?? 0, options.burst);
  }

  add(item: In): Promise<Out> {
    const atOnce = this.#options.loneAtOnce === true && this.#running === 0 && this.#queue.length === 0;
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      // After one turn of the event loop, so that everything that has already arrived shares the batch.
      if (this.#running < this.#options.maxInFlight) setImmediate(() => this.#next(atOnce));
    });
  }

  #next(atOnce = false): void {
    if (this.#running >= this.#options.maxInFlight || this.#queue.length === 0) return;
    if (!atOnce && this.#isTooEarly()) return;
    this.#pace.start();
    const batch = this.#takeDue();
    if (batch.length === 0) return;
    this.#running += 1;
    // The batch may be full by its weight: the rest is asked for again, because no item or timer does it.
    if (this.#queue.length > 0) setImmediate(() => this.#next());
    this.#run(batch.map((waiting) => waiting.item))
      .finally(() => {
        this.#running -= 1; // before the callers learn of it, so that one who then adds an item finds none running
      })
      .then((results) => {
        batch.forEach((waiting, index) => {
          const result = results[index];
          if (result instanceof Error) waiting.reject(result);
          else waiting.resolve(result as Out);
        });
      })
      .catch((error: unknown) => {
        for (const waiting of batch) waiting.reject(asError(error));
      })
      .finally(() => this.#next());
  }

  /** True when the next batch must wait; then a timer starts it. */
  #isTooEarly(): boolean {
    const { waitMs } = this.#pace;
    if (waitMs === 0 || this.#queue.length >= (this.#options.enough ?? this.#options.maxItems)) return false;
    if (this.#isWaiting) return true;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.#next();
    }, waitMs);
    return true;
  }

  /** The next items that are still wanted; empty only if none is left. */
  #takeDue(): Waiting<In, Out>[] {
    const { maxItems, refuse, weight } = this.#options;
    const due: Waiting<In, Out>[] = [];
    let sum = 0;
    while (due.length < maxItems) {
      const [waiting] = this.#queue;
      if (waiting === undefined) break;
      sum += weight?.of(waiting.item) ?? 0;
      if (weight !== undefined && sum > weight.max && due.length > 0) break;
      this.#queue.shift();
      const refusal = refuse?.(waiting.item);
      if (refusal === undefined) due.push(waiting);
      else waiting.reject(refusal);
    }
    return due;
  }
}
