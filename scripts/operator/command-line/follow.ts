/** Follows work that a service does, which the command only started. */
import { setTimeout as delay } from "node:timers/promises";
import type { Service } from "../../../contracts/message.ts";
import type { Given } from "./given.ts";

const pollIntervalMs = 300;
const stalledAfterMs = 10_000;

export interface Followed {
  readonly service: Service;
  /** What a record says of it. */
  readonly record: object;
  /** How many are left, of what; undefined once the work is done. */
  readonly left: () => Promise<string | undefined>;
}

/** Replaced in tests. */
interface Time {
  readonly now: () => number;
  readonly wait: () => Promise<unknown>;
}
const realTime: Time = { now: () => performance.now(), wait: () => delay(pollIntervalMs) };

/** Shows the progress until the work is done; if there is none for ten seconds, says which service has to run. */
export async function follow(
  given: Given,
  { service, record, left }: Followed,
  time: Time = realTime,
): Promise<void> {
  let before: string | undefined;
  let movedAt = time.now();
  let isStalled = false;
  for (let now = await left(); now !== undefined; now = await left()) {
    if (now !== before) {
      given.note(now);
      [before, movedAt, isStalled] = [now, time.now(), false];
    } else if (!isStalled && time.now() - movedAt >= stalledAfterMs) {
      given.print(
        { ...record, waitsFor: service },
        `nothing has changed for ${String(stalledAfterMs / 1_000)} s: ${service} does this, so it has to run`,
        "It goes on without this command, which you can end (Ctrl-C) and repeat.",
      );
      isStalled = true;
    }
    await time.wait();
  }
}
