import { randomInt } from "node:crypto";

/** Reproducible randomness: every fault test prints its seed, and `SEED=<seed>` repeats its choices. */
export class RandomFaults {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** The random faults of one test. Prints the seed. */
  static of(test: string): RandomFaults {
    const given = process.env["SEED"];
    const random = new RandomFaults(given === undefined ? randomInt(2 ** 31) : Number(given));
    process.stdout.write(`${test}: SEED=${String(random.seed)}\n`);
    return random;
  }

  /** At least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.next() * from.length)];
    if (picked === undefined) throw new Error("cannot pick from an empty list");
    return picked;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const order = items.map((item) => ({ item, at: this.next() }));
    return order.sort((a, b) => a.at - b.at).map(({ item }) => item);
  }
}
