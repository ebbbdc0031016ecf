import { setTimeout as delay } from "node:timers/promises";

/** Waits for a condition, with a deadline: `look` answers undefined until there is something to see. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  withinMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${String(withinMs)} ms`);
    await delay(25);
  }
}
