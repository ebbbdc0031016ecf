interface Limits {
  /** The most pieces of work of one key. */
  readonly perKey?: number;
  /** The most of all keys. */
  readonly total?: number;
}

/**
 * Limits how many pieces of work run at once. Others wait without a connection; those of one key run in the order of
 * their arrival. (`ConcurrencyLimit` refuses them.)
 *
 * A key never has more places than are left free: of 8, the first key gets 4 and the second 2. So keys whose work hangs
 * leave places for others.
 */
export class Turns<K> {
  readonly #perKey: number;
  readonly #total: number;
  #running = 0;
  /** Only of keys that have work. */
  readonly #queues = new Map<K, { running: number; readonly waiting: (() => void)[] }>();

  constructor({ perKey = Infinity, total = Infinity }: Limits) {
    this.#perKey = perKey;
    this.#total = total;
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
    if (queue.waiting.length === 0 && this.#mayBegin(queue)) this.#count(queue, 1);
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
  }

  #mayBegin({ running }: { readonly running: number }): boolean {
    return running < this.#perKey && running < this.#total - this.#running;
  }

  #count(queue: { running: number }, change: 1 | -1): void {
    queue.running += change;
    this.#running += change;
  }

  /** Passes the turn on before anybody who comes later can take it. The key is then the last to be asked. */
  #end(key: K): void {
    const ended = this.#queues.get(key);
    if (ended === undefined) return;
    this.#count(ended, -1);
    this.#queues.delete(key);
    if (ended.running > 0 || ended.waiting.length > 0) this.#queues.set(key, ended);
    for (const queue of this.#queues.values()) {
      while (queue.waiting.length > 0 && this.#mayBegin(queue)) {
        this.#count(queue, 1);
        queue.waiting.shift()?.();
      }
    }
  }
}
