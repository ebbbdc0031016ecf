/** CPU time by process, from /proc: on a shared machine, CPU per operation varies less than a rate. */
import { readdir, readFile } from "node:fs/promises";

/** µs of CPU by the name of the process. */
export type CpuTimes = Readonly<Record<string, number>>;

export interface CpuReading {
  readonly byProcess: CpuTimes;
  /** CPU of all processes of the machine, ours and others'. */
  readonly machineUs: number;
}

interface Stat {
  readonly parent: number;
  readonly ownUs: number;
  /** CPU of children that have ended and were waited for. */
  readonly endedChildrenUs: number;
}

// USER_HZ, the unit of /proc, has been 100 on every Linux of the last twenty years.
const tickUs = 10_000;

/** Reads the CPU used so far. `processes` are single ones by name, `postmaster` includes its backends. */
export class CpuMeter {
  readonly #processes: ReadonlyMap<string, number>;
  readonly #postmaster: number;

  constructor(processes: ReadonlyMap<string, number>, postmaster: number) {
    this.#processes = processes;
    this.#postmaster = postmaster;
  }

  /** The same, with one more process. */
  with(name: string, pid: number): CpuMeter {
    return new CpuMeter(new Map([...this.#processes, [name, pid]]), this.#postmaster);
  }

  async read(): Promise<CpuReading> {
    const single = await Promise.all(
      [...this.#processes].map(async ([name, pid]) => [name, (await statOf(pid))?.ownUs ?? 0] as const),
    );
    const self = await statOf(process.pid);
    return {
      byProcess: {
        ...Object.fromEntries(single),
        ...(await this.#postgresUs()),
        "bench itself": self?.ownUs ?? 0,
        // pgbench is the only child of ours that ends within a measurement.
        pgbench: self?.endedChildrenUs ?? 0,
      },
      machineUs: await machineUs(),
    };
  }

  /** By role of the session or by task of the server: `postgres ledger`, `postgres checkpointer`. */
  async #postgresUs(): Promise<CpuTimes> {
    const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry)).map(Number);
    const stats = await Promise.all(pids.map(async (pid) => ({ pid, stat: await statOf(pid) })));
    const used: Record<string, number> = {};
    const add = (part: string, us: number) => {
      used[`postgres ${part}`] = (used[`postgres ${part}`] ?? 0) + us;
    };
    for (const { pid, stat } of stats) {
      if (stat?.parent === this.#postmaster) add(await partOf(pid), stat.ownUs);
    }
    const postmaster = await statOf(this.#postmaster);
    add("postmaster", postmaster?.ownUs ?? 0);
    // Autovacuum's workers, and sessions that were closed.
    add("ended", postmaster?.endedChildrenUs ?? 0);
    return used;
  }
}

/** Postgres writes its role into its command line: `postgres: ledger postgres 127.0.0.1(4711) idle`. */
async function partOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${String(pid)}/cmdline`, "utf8").catch(() => ""); // it has ended
  return /^postgres: (io worker|autovacuum|\S+)/.exec(line)?.[1] ?? "other";
}

/**
 * The CPU used between two readings, without processes that used none. When a session closes, its CPU moves from its
 * role to `postgres ended`. The role's part can then be negative, so add all parts up before leaving any out.
 */
export function cpuBetween(before: CpuReading, after: CpuReading): CpuReading {
  const used = Object.entries(after.byProcess).map(
    ([name, us]) => [name, us - (before.byProcess[name] ?? 0)] as const,
  );
  return {
    byProcess: Object.fromEntries(used.filter(([, us]) => us !== 0)),
    machineUs: after.machineUs - before.machineUs,
  };
}

const loadGenerators = /^(load: .*|bench itself|pgbench)$/;

/** The parts of the services, Postgres and NATS: what an operation costs, without the processes that make the load. */
export function withoutLoad(cpu: CpuTimes): CpuTimes {
  return Object.fromEntries(Object.entries(cpu).filter(([part]) => !loadGenerators.test(part)));
}

export function sumOf(cpu: CpuTimes): number {
  return Object.values(cpu).reduce((sum, us) => sum + us, 0);
}

/** Proportional set size in bytes: a page that several processes share counts in each for its share. */
export async function proportionalBytes(pid: number): Promise<number> {
  const sums = await readFile(`/proc/${String(pid)}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(sums)?.[1] ?? 0) * 1024;
}

// proc(5): after the name in brackets come state, ppid …; utime, stime, cutime and cstime are fields 14 to 17.
async function statOf(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => undefined); // it has ended
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = (from: number) => (Number(fields[from - 3]) + Number(fields[from - 2])) * tickUs;
  return { parent: Number(fields[1]), ownUs: ticks(14), endedChildrenUs: ticks(16) };
}

// proc(5), /proc/stat: user nice system idle iowait irq softirq steal.
async function machineUs(): Promise<number> {
  const [total = ""] = (await readFile("/proc/stat", "utf8")).split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = total.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq) * tickUs;
}
