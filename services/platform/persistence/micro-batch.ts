import { asError } from "../as-error.ts";
interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Natural micro-batches: what queues while the last runs is the next. There is no timer, so a lone item waits for
 * nothing, and under load a commit is shared by up to `most` items. (Order inserts: 15.6k/s against 4.7k/s singly.)
 *
 * `run` answers one result per item, in order; an `Error` among them rejects only its own item. A throw of `run`
 * rejects all of the batch.
 */
export class MicroBatch<In, Out> {
  readonly #run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>;
  readonly #maxItems: number;
  readonly #maxInFlight: number;
  #queue: Waiting<In, Out>[] = [];
  #running = 0;

  constructor(
    run: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
    options: { most: number; inFlight: number },
  ) {
    this.#run = run;
    this.#maxItems = options.most;
    this.#maxInFlight = options.inFlight;
  }

  add(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      // A turn of the event loop lets everything that has arrived already share the batch.
      if (this.#running < this.#maxInFlight) setImmediate(() => this.#next());
    });
  }

  #next(): void {
    if (this.#running >= this.#maxInFlight || this.#queue.length === 0) return;
    const batch = this.#queue.splice(0, this.#maxItems);
    this.#running += 1;
    this.#run(batch.map((waiting) => waiting.item))
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
      .finally(() => {
        this.#running -= 1;
        this.#next();
      });
  }
}
