/** Says in each test that waits for the shared service why it waits in vain: that a part of it ended, and how. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import type { Instance } from "../../scripts/local/system.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The file for what ended. Absent in projects without the shared service. */
    lostServices?: string;
  }
}

/** How long the last lines of a process may take to come out of its pipe. */
const pipeMs = 200;

/** Writes each instance that ends to the file, with its last lines. The caller aborts before it stops them. */
export function watchForLoss(
  instances: readonly Pick<Instance, "service" | "child">[],
  file: string,
  stopping: AbortSignal,
): Promise<unknown> {
  return Promise.all(
    instances.map(async ({ service, child }) => {
      const { code, signal } = await child.exited;
      if (stopping.aborted) return;
      await delay(pipeMs);
      const how = signal === null ? `code ${String(code)}` : signal;
      appendFileSync(file, `${service} ended with ${how}:\n${child.lastLines().join("\n")}\n`);
    }),
  );
}

/** Throws if a part of the service that this test shares has ended. */
export function assertNothingLost(file = inject("lostServices")): void {
  if (file === undefined || !existsSync(file)) return;
  throw new Error(`the shared service is not whole any more: ${readFileSync(file, "utf8")}`);
}
