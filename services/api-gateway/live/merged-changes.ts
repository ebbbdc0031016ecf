import type { Change } from "./live-events.ts";

/** A stream sends at most four times a second, however many objects change. */
const shortestPauseMs = 250;
/** It sends once a second while its book never rests: each update is one write for every open stream. */
const longestPauseMs = 1_000;
/** Beyond so many objects at once a screen had better read its whole page again. */
const maxChanges = 100;

/** What one write to the stream says: the objects that changed, or that more changed than it names. */
export type Update = { readonly changes: readonly Change[] } | "resync";

/**
 * Merges changes: the first is sent at once, further ones after a pause, each object once with its newest sequence.
 * Each pause is twice as long as the one before it, up to a second, until nothing changes during one. More than 100
 * objects in one pause become a `resync`.
 */
export class MergedChanges {
  readonly #send: (update: Update) => void;
  readonly #waiting = new Map<string, Change>();
  #mustResync = false;
  #pause: NodeJS.Timeout | undefined;
  #pauseMs = shortestPauseMs;

  constructor(send: (update: Update) => void) {
    this.#send = send;
  }

  add(change: Change): void {
    const object = `${change.type} ${change.id}`;
    const known = this.#waiting.get(object)?.sequence ?? 0;
    // Events of one object may arrive in another order than they happened.
    if ((change.sequence ?? known) >= known) this.#waiting.set(object, change);
    if (this.#waiting.size > maxChanges) return this.resync();
    this.#sendSoon();
  }

  resync(): void {
    this.#mustResync = true;
    this.#waiting.clear();
    this.#sendSoon();
  }

  /** Sends nothing any more. */
  close(): void {
    clearTimeout(this.#pause);
    this.#waiting.clear();
  }

  #sendSoon(): void {
    if (this.#pause === undefined) this.#sendNow();
  }

  #sendNow(): void {
    this.#pause = undefined;
    if (!this.#mustResync && this.#waiting.size === 0) {
      this.#pauseMs = shortestPauseMs;
      return;
    }
    const update = this.#mustResync ? "resync" : { changes: [...this.#waiting.values()] };
    this.#mustResync = false;
    this.#waiting.clear();
    this.#pause = setTimeout(() => this.#sendNow(), this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
    this.#send(update);
  }
}
