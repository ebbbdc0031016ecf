import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";

/**
 * Limits the requests that each book has under way at once in this instance, so that a burst of one tenant does not
 * make the requests of others queue behind it. `max` is the total weight that a book may have; 0 means no limit.
 */
export class RequestsUnderWay {
  readonly #max: number;
  readonly #byBook = new Map<BookId, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts a request until `leave` is called with the same weight. A request is taken whenever its book has no other
   * under way, whatever its weight. Refusal: `rate_limited`.
   */
  enter(book: BookId, weight = 1): void {
    const underWay = this.#byBook.get(book) ?? 0;
    if (this.#max > 0 && underWay > 0 && underWay + weight > this.#max) {
      throw new Refusal(
        "rate_limited",
        "Too many requests of this tenant are under way. Wait for answers before you send more.",
        { context: { retryAfterSeconds: 1 } },
      );
    }
    this.#byBook.set(book, underWay + weight);
  }

  leave(book: BookId, weight = 1): void {
    const rest = (this.#byBook.get(book) ?? 0) - weight;
    if (rest > 0) this.#byBook.set(book, rest);
    else this.#byBook.delete(book);
  }
}
