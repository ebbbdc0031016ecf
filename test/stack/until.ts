import { vi } from "vitest";

type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

/**
 * Waits until a condition gives something, and gives that. Ten seconds are a deadline, not a wait: tests share two
 * cores with the servers that they ask.
 */
export function until<T>(condition: () => T | Promise<T>): Promise<Truthy<T>> {
  return vi.waitUntil(condition, { timeout: 10_000, interval: 20 }) as Promise<Truthy<T>>;
}
