import { setTimeout as delay } from "node:timers/promises";

type Look<T> = () => T | Promise<T>;
type Seen<T> = Exclude<T, false | 0 | "" | null | undefined>;

/**
 * Waits until a look gives something, and gives that. The time is a deadline, not a wait: tests share two cores with
 * the servers that they ask. `what` is how a failure says what never came.
 */
export function until<T>(look: Look<T>): Promise<Seen<T>>;
export function until<T>(what: string, look: Look<T>, withinMs?: number): Promise<Seen<T>>;
export function until<T>(first: string | Look<T>, second?: Look<T>, withinMs?: number): Promise<Seen<T>> {
  return typeof first === "string"
    ? wait(first, second as Look<T>, withinMs ?? 20_000)
    : wait("what the test waits for", first, 10_000);
}

async function wait<T>(what: string, look: Look<T>, withinMs: number): Promise<Seen<T>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen as Seen<T>;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${String(withinMs)} ms`);
    await delay(20);
  }
}
