import type { Logger } from "pino";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import type { Mode, TenantId } from "../../../contracts/ids/ids.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { Unsaved } from "../../platform/save-in-parts.ts";
import type { VersionUse } from "./store/version-use.ts";

const intervalMs = 5_000;

interface Caller {
  readonly tenant: TenantId;
  readonly mode: Mode;
}

/**
 * Counts how often each tenant calls each version. Counted in memory, so that no request waits for it, and added to the
 * table every five seconds. A crash loses at most the last five seconds.
 */
export class VersionCounts extends PollingWorker {
  readonly #save: (uses: readonly VersionUse[]) => Promise<readonly Unsaved<VersionUse>[]>;
  readonly #now: () => Date;
  #counted = new Map<string, VersionUse>();

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
      () => [...this.#counted.values()],
    );
  }

  /** Records one call of the version now. */
  record({ tenant, mode }: Caller, version: ApiVersion): void {
    const lastUsedAt = this.#now();
    const day = lastUsedAt.toISOString().slice(0, 10);
    this.#add({ tenant, mode, version, day, requests: 1, lastUsedAt });
  }

  /** Saves the counts since the last tick. Returns 0, so that the next tick comes after the interval. */
  async saveCounted(): Promise<number> {
    if (this.#counted.size === 0) return 0;
    const taken = [...this.#counted.values()];
    this.#counted = new Map();
    const unsaved = await this.#save(taken);
    // Added back to the calls that were counted during the save.
    for (const { item } of unsaved) this.#add(item);
    if (unsaved[0] !== undefined) throw unsaved[0].error;
    return 0;
  }

  #add(use: VersionUse): void {
    const key = `${use.tenant} ${use.mode} ${use.version} ${use.day}`;
    const known = this.#counted.get(key);
    this.#counted.set(
      key,
      known === undefined
        ? use
        : {
            ...use,
            requests: known.requests + use.requests,
            lastUsedAt: known.lastUsedAt > use.lastUsedAt ? known.lastUsedAt : use.lastUsedAt,
          },
    );
  }
}
