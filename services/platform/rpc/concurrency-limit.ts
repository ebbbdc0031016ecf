import { Refusal } from "../../../contracts/errors.ts";

/**
 * Limits how much each key (a book, a Draft) may have under way at once in this instance, so that a burst of one tenant
 * does not make the requests of others queue behind it: what is beyond the limit is refused. (`Turns` lets it wait.)
 * `max` is the total cost per key; 0 means no limit.
 */
export class ConcurrencyLimit<K extends string> {
  readonly #max: number;
  readonly #underWay = new Map<K, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts a request until `leave` is called with the same cost, or returns false and counts nothing. A request is
   * taken whenever its key has no other under way, whatever it costs.
   */
  enter(key: K, cost = 1): boolean {
    const underWay = this.#underWay.get(key) ?? 0;
    if (this.#max > 0 && underWay > 0 && underWay + cost > this.#max) return false;
    this.#underWay.set(key, underWay + cost);
    return true;
  }

  leave(key: K, cost = 1): void {
    const rest = (this.#underWay.get(key) ?? 0) - cost;
    if (rest > 0) this.#underWay.set(key, rest);
    else this.#underWay.delete(key);
  }
}

/** For a book that has too many requests under way. */
export function tooManyUnderWay(): Refusal {
  return new Refusal(
    "rate_limited",
    "Too many requests of this tenant are under way. Wait for answers before you send more.",
    { context: { retryAfterSeconds: 1 } },
  );
}
