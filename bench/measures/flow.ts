/** A closed loop over the whole path: the number of unfinished operations is bounded. */
import { setTimeout as delay } from "node:timers/promises";
import type { CpuMeter } from "./cpu.ts";
import { type Measured, watch } from "./measure.ts";

export interface Flow {
  /** Starts to keep its window full. */
  start(): void;
  /** Starts no further operation. Returns how many were started since `start`; throws if some were refused. */
  halt(): Promise<number>;
  /** How many have finished since `start`. */
  done(): number;
  close(): void;
}

const rampMs = 1_000;
const drainWithinMs = 60_000;

/** Ramps up, measures, and waits until everything has finished. Throws if an operation never finishes. */
export async function measureFlow(flow: Flow, meter: CpuMeter, seconds: number): Promise<Measured> {
  try {
    flow.start();
    await delay(rampMs);
    const measured = await watch(
      meter,
      () => flow.done(),
      () => delay(seconds * 1_000),
    );
    const started = await flow.halt();
    const deadline = Date.now() + drainWithinMs;
    while (flow.done() < started) {
      if (Date.now() > deadline) {
        throw new Error(`${String(started - flow.done())} of ${String(started)} never finished`);
      }
      await delay(10);
    }
    return measured;
  } finally {
    flow.close();
  }
}
