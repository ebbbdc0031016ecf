import { realTime } from "../platform/clock/real-time.ts";

/** Real time, injected so that a test can move it instead of waiting. */
export abstract class ProcessClock {
  abstract now(): Date;
  /** Grows evenly, also when the host's clock is set: for ages and pauses within this process. */
  abstract elapsedMs(): number;
  /** Calls `act` once after `delayMs`. Returns a function that cancels the call. */
  abstract after(delayMs: number, act: () => void): () => void;
}

export class SystemClock extends ProcessClock {
  now(): Date {
    return realTime();
  }

  elapsedMs(): number {
    return performance.now();
  }

  after(delayMs: number, act: () => void): () => void {
    const timer = setTimeout(act, delayMs);
    return () => clearTimeout(timer);
  }
}
