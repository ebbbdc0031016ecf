/**
 * Lets at most `max` pieces of work of each key run at once. Others wait without a connection, first come first.
 * (`ConcurrencyLimit` refuses them.)
 */
export class Turns<K> {
  readonly #max: number;
  /** Only of keys that have work. */
  readonly #queues = new Map<K, { running: number; readonly waiting: (() => void)[] }>();

  constructor(max: number) {
    this.#max = max;
  }

  async run<T>(key: K, work: () => Promise<T>): Promise<T> {
    await this.#begin(key);
    try {
      return await work();
    } finally {
      this.#end(key);
    }
  }

  async #begin(key: K): Promise<void> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (queue.running < this.#max) queue.running += 1;
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
  }

  /** Passes the turn on, so that nobody who comes later overtakes those who wait. */
  #end(key: K): void {
    const queue = this.#queues.get(key);
    const next = queue?.waiting.shift();
    if (next !== undefined) next();
    else if (queue?.running === 1) this.#queues.delete(key);
    else if (queue !== undefined) queue.running -= 1;
  }
}
