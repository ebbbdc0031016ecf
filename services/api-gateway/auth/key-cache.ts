import type { KnownKey } from "./store/api-keys.ts";

/** A revocation that nobody told us of (NATS was away) works after this long all the same. */
const ttlMs = 1_000;
/** Text that is no key of ours is remembered too; the bound keeps a stream of it from filling the memory. */
const maxEntries = 10_000;

interface Entry {
  readonly found: Promise<KnownKey | undefined>;
  /** On the clock, counted from before the question was put: the answer may be as old as that. */
  readonly until: number;
}

/**
 * What the store said of a key's hash, kept for at most a second. A hash that leads nowhere takes the same way and
 * is kept as long, so that nothing tells a caller whether a key exists.
 */
export class KeyCache {
  readonly #find: (hash: Buffer) => Promise<KnownKey | undefined>;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(
    find: (hash: Buffer) => Promise<KnownKey | undefined>,
    now: () => number = () => performance.now(),
  ) {
    this.#find = find;
    this.#now = now;
  }

  /** The key with that SHA-256. Callers at the same moment share one question to the store. */
  async byHash(hash: Buffer): Promise<KnownKey | undefined> {
    const name = hash.toString("base64");
    const memory = this.#entries.get(name);
    if (memory !== undefined && memory.until > this.#now()) return memory.found;
    const asked: Entry = { found: this.#find(hash), until: this.#now() + ttlMs };
    this.#insert(name, asked);
    try {
      return await asked.found;
    } catch (error) {
      // A failure is not an answer: the next caller asks again.
      if (this.#entries.get(name) === asked) this.#entries.delete(name);
      throw error;
    }
  }

  /** A key was revoked, or a tenant changed its status, or we may have missed word of either. */
  clear(): void {
    this.#entries.clear();
  }

  #insert(name: string, memory: Entry): void {
    this.#entries.delete(name);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(name, memory);
  }
}
