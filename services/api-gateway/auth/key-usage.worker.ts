import type { Logger } from "pino";
import type { ApiKeyId, SessionId } from "../../../contracts/ids/ids.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { Unsaved } from "../../platform/save-in-parts.ts";

const minuteMs = 60_000;
const intervalMs = 5_000;
/** The same limit as in `KeyCache`. */
const maxRemembered = 10_000;

interface Use<Id> {
  readonly id: Id;
  readonly at: Date;
}

type Save<Id> = (uses: readonly Use<Id>[]) => Promise<readonly Unsaved<Use<Id>>[]>;

/**
 * Saves when keys or sessions were last used, to the minute. A request costs one look-up in a map; every five seconds
 * one statement saves those whose minute is new. A crash loses at most the last five seconds.
 */
abstract class Usage<Id extends string> extends PollingWorker {
  readonly #save: Save<Id>;
  readonly #now: () => number;
  readonly #minutes = new Map<Id, number>();
  readonly #unsaved = new Map<Id, number>();

  protected constructor(
    name: string,
    save: Save<Id>,
    log: Logger,
    countFailedTick: (worker: string) => void,
    now: () => number,
  ) {
    super(name, intervalMs, () => this.saveNew(), log, countFailedTick);
    this.#save = save;
    this.#now = now;
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await this.saveBeforeEnd(
      () => this.saveNew(),
      () => [...this.#unsaved].map(([id, minute]) => ({ id, at: new Date(minute * minuteMs) })),
    );
  }

  /** Records that the key or session was used now. */
  record(id: Id): void {
    const minute = Math.floor(this.#now() / minuteMs);
    if (this.#minutes.get(id) === minute) return;
    if (this.#minutes.size >= maxRemembered) this.#minutes.clear();
    this.#minutes.set(id, minute);
    this.#unsaved.set(id, minute);
  }

  /** Saves the minutes that are not saved yet. Returns 0, so that the next tick comes after the interval. */
  async saveNew(): Promise<number> {
    if (this.#unsaved.size === 0) return 0;
    const taken = [...this.#unsaved];
    this.#unsaved.clear();
    const unsaved = await this.#save(taken.map(([id, minute]) => ({ id, at: new Date(minute * minuteMs) })));
    // Saved at the next tick, unless the key was used again during this one.
    for (const { item } of unsaved) {
      if (!this.#unsaved.has(item.id)) this.#unsaved.set(item.id, Math.floor(item.at.getTime() / minuteMs));
    }
    if (unsaved[0] !== undefined) throw unsaved[0].error;
    return 0;
  }
}

export class KeyUsage extends Usage<ApiKeyId> {
  constructor(
    save: Save<ApiKeyId>,
    log: Logger,
    countFailedTick: (worker: string) => void,
    now: () => number = Date.now,
  ) {
    super("key-usage", save, log, countFailedTick, now);
  }
}

export class SessionUsage extends Usage<SessionId> {
  constructor(save: Save<SessionId>, log: Logger, countFailedTick: (worker: string) => void) {
    super("session-usage", save, log, countFailedTick, Date.now);
  }
}
