/** A closed loop over the whole way: what is started is bounded by what has come to its end. */
import { setTimeout as delay } from "node:timers/promises";
import type { CpuMeter } from "./cpu.ts";
import { type Measured, watch } from "./measure.ts";

export interface Flow {
  /** Begins to keep its window full. */
  start(): void;
  /** Starts nothing more; gives how many were started since `start`, and throws when some were refused. */
  halt(): Promise<number>;
  /** How many have come to their end since `start`. */
  done(): number;
  close(): void;
}

const rampMs = 1_000;
const drainWithinMs = 60_000;

/** Lets it run in, measures, and waits until nothing is under way. Throws when something never came to its end. */
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
        throw new Error(`${String(started - flow.done())} of ${String(started)} never came to their end`);
      }
      await delay(10);
    }
    return measured;
  } finally {
    flow.close();
  }
}
