import { expectRefusal } from "./refusals.ts";
import { patienceMs } from "./until.ts";

/**
 * Sends requests whose callers stop waiting, until one of them had begun by then. Each waits twice as long as the last
 * one: on a slow machine a short deadline passes before the request arrives.
 */
export async function giveUp(
  send: (deadlineMs: number) => Promise<unknown>,
  hasBegun: () => boolean,
): Promise<void> {
  for (let deadlineMs = 100; deadlineMs <= patienceMs; deadlineMs *= 2) {
    await expectRefusal(send(deadlineMs), "upstream_timeout");
    if (hasBegun()) return;
  }
  throw new Error("no request has begun before its deadline");
}
