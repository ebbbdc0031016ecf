import { setTimeout as pause } from "node:timers/promises";
import { Refusal } from "../../../contracts/errors.ts";
import { waitSecondsOf } from "../http/prefer.ts";
import type { HttpContext } from "../operation/http-context.ts";

const firstPauseMs = 20;
const maxPauseMs = 200;

interface Waiting<T> {
  /** Reads the resource again; it must answer within the deadline. */
  readonly read: (options: { deadlineMs: number }) => Promise<T>;
  readonly done: (resource: T) => boolean;
}

/**
 * `Prefer: wait=N`: returns the resource as soon as it is `done`, or as it is when the caller's preferred wait is over;
 * without a preference at once. Reads it again after 20 ms, then after pauses that grow by half, up to 200 ms.
 */
export async function waitUntil<T>(http: HttpContext, resource: T, { read, done }: Waiting<T>): Promise<T> {
  const seconds = waitSecondsOf(http.request.headers.prefer);
  if (seconds === undefined) return resource;
  http.reply.header("preference-applied", `wait=${String(seconds)}`);
  const until = performance.now() + seconds * 1_000;
  let latest = resource;
  let pauseMs = firstPauseMs;
  for (let leftMs = seconds * 1_000; leftMs > 0 && !done(latest); leftMs = until - performance.now()) {
    // The caller has disconnected: nobody would read the answer.
    if (http.reply.raw.destroyed) return latest;
    await pause(Math.min(pauseMs, leftMs));
    pauseMs = Math.min(pauseMs * 1.5, maxPauseMs);
    try {
      latest = await read({ deadlineMs: Math.max(until - performance.now(), maxPauseMs) });
    } catch (error) {
      // The write has succeeded: a refusal to read the resource again must not look like a failed write.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return latest;
}
