import type { KnownSession } from "./domain/caller.ts";
import type { KnownKey, WaitingKey } from "./store/known-keys.ts";

/** A revocation or a session's end whose event was missed (NATS was unavailable) takes effect after this time. */
const ttlMs = 1_000;
/** Unknown keys are cached too: the limit keeps a stream of them from filling the memory. */
const maxEntries = 10_000;

interface Entry<Found> {
  readonly found: Promise<Found>;
  /** Counted from before the query, because the result may be as old as that. */
  readonly until: number;
}

/**
 * Caches the look-up of a secret by its hash for at most a second. Unknown hashes are looked up and cached in the same
 * way, so that timing does not reveal whether one exists.
 */
abstract class HashCache<Found> {
  readonly #find: (hash: Buffer) => Promise<Found>;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry<Found>>();

  constructor(find: (hash: Buffer) => Promise<Found>, now: () => number = () => performance.now()) {
    this.#find = find;
    this.#now = now;
  }

  /** What has this SHA-256. Concurrent callers share one query. */
  async byHash(hash: Buffer): Promise<Found> {
    const name = hash.toString("base64");
    const cached = this.#entries.get(name);
    if (cached !== undefined && cached.until > this.#now()) return cached.found;
    const entry: Entry<Found> = { found: this.#find(hash), until: this.#now() + ttlMs };
    this.#insert(name, entry);
    try {
      return await entry.found;
    } catch (error) {
      // A failure is not cached: the next caller queries again.
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      throw error;
    }
  }

  /** Called when something was revoked, ended or suspended, or when such an event may have been missed. */
  clear(): void {
    this.#entries.clear();
  }

  #insert(name: string, entry: Entry<Found>): void {
    this.#entries.delete(name);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(name, entry);
  }
}

/** API keys. */
export class KeyCache extends HashCache<KnownKey | WaitingKey | undefined> {}

/** Sessions of people. */
export class SessionCache extends HashCache<KnownSession | undefined> {}
