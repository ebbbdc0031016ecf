/** Time, given from outside so that a test moves it instead of waiting for it. */
export abstract class Clock {
  abstract now(): Date;
  /** Calls `act` once after `delayMs`; the answer calls it off. */
  abstract after(delayMs: number, act: () => void): () => void;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  after(delayMs: number, act: () => void): () => void {
    const timer = setTimeout(act, delayMs);
    return () => clearTimeout(timer);
  }
}
