import { setTimeout as delay } from "node:timers/promises";
import { assertNothingLost } from "./lost-services.ts";

/** How long a test waits for what usually takes milliseconds: on a slow machine, a minute was not enough. */
export const patienceMs = 120_000;

type Look<T> = () => T | Promise<T>;
type Seen<T> = Exclude<T, false | 0 | "" | null | undefined>;

/**
 * Polls until `look` returns a value, and returns that. `what` names the missing value in the error.
 */
export function until<T>(look: Look<T>): Promise<Seen<T>>;
export function until<T>(what: string, look: Look<T>, withinMs?: number): Promise<Seen<T>>;
export function until<T>(first: string | Look<T>, second?: Look<T>, withinMs?: number): Promise<Seen<T>> {
  return typeof first === "string"
    ? wait(first, second as Look<T>, withinMs ?? patienceMs)
    : wait("what the test waits for", first, patienceMs);
}

async function wait<T>(what: string, look: Look<T>, withinMs: number): Promise<Seen<T>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen as Seen<T>;
    assertNothingLost();
    if (Date.now() > deadline) throw new Error(`${what}: not within ${String(withinMs)} ms`);
    await delay(20);
  }
}
