import pino from "pino";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/stack/until.ts";
import { PollingWorker } from "./polling-worker.ts";

const hourMs = 3_600_000;
const silent = pino({ level: "silent" });

/** A loop whose turns find what the list says, one after the other, and then nothing. */
function loopThatFinds(found: (number | Error)[], everyMs: number, log = silent) {
  let turns = 0;
  const loop = new PollingWorker(
    "test",
    everyMs,
    () => {
      turns += 1;
      const next = found.shift() ?? 0;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    log,
  );
  return { loop, turns: () => turns };
}

describe("a loop over what is due", () => {
  it("goes again at once while it finds something, and rests when it finds nothing", async () => {
    const { loop, turns } = loopThatFinds([200, 200, 7], hourMs);
    loop.start();
    await until(() => turns() === 4);
    await loop.stop();
    expect(turns()).toBe(4);
  });

  it("goes again when its pause is over", async () => {
    const { loop, turns } = loopThatFinds([], 1);
    loop.start();
    await until(() => turns() >= 3);
    await expect(loop.stop()).resolves.toBeUndefined();
  });

  it("goes again when it is woken, also from within a turn", async () => {
    const { loop, turns } = loopThatFinds([], hourMs);
    loop.start();
    loop.wake(); // still in its first turn
    await until(() => turns() === 2);
    loop.wake();
    await until(() => turns() === 3);
    await loop.stop();
    expect(turns()).toBe(3);
  });

  it("survives a turn that throws: what was due is still due", async () => {
    const errors: unknown[] = [];
    const log = pino({ level: "error" }, { write: (line: string) => errors.push(JSON.parse(line)) });
    const { loop, turns } = loopThatFinds([new Error("the database is away"), 1], 1, log);
    loop.start();
    await until(() => turns() >= 3);
    await loop.stop();
    expect(errors).toMatchObject([{ loop: "test", err: { message: "the database is away" } }]);
  });

  it("starts once, however often it is told", async () => {
    const { loop, turns } = loopThatFinds([1], hourMs);
    loop.start();
    loop.start();
    await until(() => turns() === 2);
    await loop.stop();
    expect(turns()).toBe(2);
  });
});

describe("stopping", () => {
  it("ends after the turn in hand, which hears of it", async () => {
    const finish = Promise.withResolvers<number>();
    const heard: AbortSignal[] = [];
    const loop = new PollingWorker("test", hourMs, (signal) => (heard.push(signal), finish.promise), silent);
    loop.start();
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    expect([heard[0]?.aborted, stopped]).toEqual([true, false]);
    finish.resolve(1);
    await stopping;
    expect(heard).toHaveLength(1);
  });

  it("ends a pause at once", async () => {
    const { loop, turns } = loopThatFinds([], hourMs);
    loop.start();
    await until(() => turns() === 1);
    await expect(loop.stop()).resolves.toBeUndefined();
  });

  it("of a loop that never started is done", async () => {
    await expect(loopThatFinds([], hourMs).loop.stop()).resolves.toBeUndefined();
  });
});
