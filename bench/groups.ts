/** Runs groups of rows one after the other. The rows of each are saved before the next group begins. */
import type { Group } from "./options.ts";
import { notMeasured, type Row } from "./report.ts";

/** The groups as the table lists them. They run in another order. */
const listed: readonly Group[] = [
  "orders",
  "ledger",
  "ledger-fsync",
  "latency",
  "fairness",
  "webhooks",
  "webhooks-neighbours",
  "webhooks-replay",
  "idle",
  "memory",
  "ledger-growth",
  "orders-growth",
  "sandbox",
  "dashboard",
  "ledger-instances",
  "start",
];

export interface GroupOptions {
  readonly only: ReadonlySet<Group>;
  /** No group begins after its abortion. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly save: (rows: readonly Row[]) => Promise<unknown>;
}

export class Groups {
  readonly #options: GroupOptions;
  readonly #rows = new Map<Group, readonly Row[]>();
  #hasFailed = false;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  /** Whether a group that should have been measured was not. A row below its floor is no failure. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Runs one group and saves all rows so far. If it fails, it is listed as not measured, and the other groups run. */
  async run(name: Group, measure: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
    const { only, signal, log, save } = this.#options;
    if (!only.has(name)) return [];
    if (signal.aborted) {
      this.#hasFailed = true;
      return [];
    }
    log(`\n${name}`);
    const rows = await measure().catch((error: unknown) => this.#failed(name, error));
    this.#rows.set(name, rows);
    await save(this.rows());
    return rows;
  }

  /** The rows of all groups, with one for each group that has not run. */
  rows(): Row[] {
    return listed.flatMap((name) => this.#rows.get(name) ?? this.#notRun(name));
  }

  #failed(name: Group, error: unknown): Row[] {
    const why = error instanceof Error ? error.message : String(error);
    this.#hasFailed = true;
    this.#options.log(`  not measured: ${why}`);
    return [noRowsOf(name, why)];
  }

  #notRun(name: Group): Row[] {
    const isWanted = this.#options.only.has(name);
    return [noRowsOf(name, isWanted ? "the bench ended before it" : "left out by --only")];
  }
}

function noRowsOf(name: Group, why: string): Row {
  return notMeasured(`rows of ${name}`, { floor: "", goal: "" }, why);
}

/** What `work` resolves with. Rejects when the signal is aborted, and leaves the work to fail unseen. */
export function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error);
    signal.addEventListener("abort", leave, { once: true });
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", leave));
  });
}
