import { randomInt } from "node:crypto";

/** Randomness that can be had again: every fault test prints its seed, and `SEED=<seed>` replays what it did. */
export class Dice {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** The dice of one test; says the seed on the way. */
  static of(test: string): Dice {
    const given = process.env["SEED"];
    const dice = new Dice(given === undefined ? randomInt(2 ** 31) : Number(given));
    process.stdout.write(`${test}: SEED=${String(dice.seed)}\n`);
    return dice;
  }

  /** From 0 up to but without 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.next() * from.length)];
    if (picked === undefined) throw new Error("there is nothing to pick from");
    return picked;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const order = items.map((item) => ({ item, at: this.next() }));
    return order.sort((a, b) => a.at - b.at).map(({ item }) => item);
  }
}
