import { performance } from "node:perf_hooks";
import { trimHeap } from "./trim-heap.ts";

/**
 * A collection also throws compiled code away. Looks are this far apart, so that a short pause between two bursts of
 * load starts none.
 */
const intervalMs = 30_000;
/**
 * Of the time between two looks: at most three seconds of work. The workers of a service that nobody calls take 1 to
 * 3 %, the ledger's auditor up to 5 percentage points more (the default of AUDIT_SHARE). With a larger share a ledger
 * that catches up keeps its memory.
 */
const restingShare = 0.1;
const worthBytes = 16 * 1024 ** 2;

/** What the process uses, and how it gives memory back. A test replaces it. */
export interface ProcessMemory {
  /** The share of the time since the last call in which the event loop ran. */
  busyShare(): number;
  residentBytes(): number;
  /** Collects garbage and gives what it frees back to the system. */
  release(): Promise<void>;
}

/**
 * Gives memory back to the system while the service rests. V8 keeps what a start or a burst of load has grown to, about
 * 40 MiB a service, and malloc about as much. A collection takes about 100 ms. It runs only if the event loop was busy
 * for at most a tenth of the last half minute, and only if the process has grown by 16 MiB since the last one. The
 * timer that it returns keeps no process alive.
 */
export function releaseMemoryAtRest(memory: ProcessMemory = ownMemory()): NodeJS.Timeout {
  let releasedTo = 0;
  const look = async () => {
    if (memory.busyShare() > restingShare || memory.residentBytes() - releasedTo < worthBytes) return;
    await memory.release();
    releasedTo = memory.residentBytes();
  };
  const timer = setInterval(() => void look(), intervalMs);
  return timer.unref();
}

/** This process. It collects nothing without Node's option `--expose-gc`. */
function ownMemory(): ProcessMemory {
  let before = performance.eventLoopUtilization();
  return {
    busyShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    residentBytes: () => process.memoryUsage.rss(),
    async release() {
      globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
      await trimHeap();
    },
  };
}
