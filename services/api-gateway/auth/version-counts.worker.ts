import type { Logger } from "pino";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import type { Mode, TenantId } from "../../../contracts/ids/ids.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { Unsaved } from "../../platform/save-in-parts.ts";
import type { VersionUse } from "./store/version-use.ts";

const intervalMs = 5_000;
const dayMs = 86_400_000;

interface Caller {
  readonly tenant: TenantId;
  readonly mode: Mode;
}

/** The day is that of `lastUsedAt`. */
interface Count extends Caller {
  readonly version: ApiVersion;
  requests: number;
  lastUsedAt: Date;
}

/**
 * Counts how often each tenant calls each version. Counted in memory, so that no request waits for it, and added to the
 * table every five seconds. A crash loses at most the last five seconds.
 */
export class VersionCounts extends PollingWorker {
  readonly #save: (uses: readonly VersionUse[]) => Promise<readonly Unsaved<VersionUse>[]>;
  readonly #now: () => Date;
  #counted = new Map<string, Count>();

  constructor(
    save: (uses: readonly VersionUse[]) => Promise<readonly Unsaved<VersionUse>[]>,
    log: Logger,
    countFailedTick: (worker: string) => void,
    now: () => Date = () => new Date(),
  ) {
    super("version-use", intervalMs, () => this.saveCounted(), log, countFailedTick);
    this.#save = save;
    this.#now = now;
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await this.saveBeforeEnd(
      () => this.saveCounted(),
      () => this.#uses(),
    );
  }

  /** Records one call of the version now. */
  record(caller: Caller, version: ApiVersion): void {
    this.#add(caller, version, 1, this.#now());
  }

  /** Saves the counts since the last tick. Returns 0, so that the next tick comes after the interval. */
  async saveCounted(): Promise<number> {
    if (this.#counted.size === 0) return 0;
    const taken = this.#uses();
    this.#counted = new Map();
    const unsaved = await this.#save(taken);
    // Added back to the calls that were counted during the save.
    for (const { item } of unsaved) this.#add(item, item.version, item.requests, item.lastUsedAt);
    if (unsaved[0] !== undefined) throw unsaved[0].error;
    return 0;
  }

  #add({ tenant, mode }: Caller, version: ApiVersion, requests: number, lastUsedAt: Date): void {
    const key = `${tenant} ${mode} ${version} ${String(Math.floor(lastUsedAt.getTime() / dayMs))}`;
    const known = this.#counted.get(key);
    if (known === undefined) {
      this.#counted.set(key, { tenant, mode, version, requests, lastUsedAt });
      return;
    }
    known.requests += requests;
    if (lastUsedAt > known.lastUsedAt) known.lastUsedAt = lastUsedAt;
  }

  #uses(): VersionUse[] {
    return [...this.#counted.values()].map((count) => ({
      ...count,
      day: count.lastUsedAt.toISOString().slice(0, 10),
    }));
  }
}
