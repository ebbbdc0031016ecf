import pino from "pino";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/stack/until.ts";
import { PollingWorker } from "./polling-worker.ts";

const hourMs = 3_600_000;
const silent = pino({ level: "silent" });

/** A worker whose ticks find these numbers of rows, one after the other, and then none. */
function workerThatFinds(found: (number | Error)[], intervalMs: number | (() => number), log = silent) {
  let ticks = 0;
  const failed: string[] = [];
  const worker = new PollingWorker(
    "test",
    intervalMs,
    () => {
      ticks += 1;
      const next = found.shift() ?? 0;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    log,
    (name) => failed.push(name),
  );
  return { worker, ticks: () => ticks, failed };
}

describe("a polling worker", () => {
  it("ticks again at once while it finds work, and pauses when it finds none", async () => {
    const { worker, ticks } = workerThatFinds([200, 200, 7], hourMs);
    worker.start();
    await until(() => ticks() === 4);
    await worker.stop();
    expect(ticks()).toBe(4);
  });

  it("asks before each pause how long it is", async () => {
    const pauses = [1, 1, hourMs];
    const { worker, ticks } = workerThatFinds([], () => pauses.shift() ?? 0);
    worker.start();
    await until(() => pauses.length === 0);
    await worker.stop();
    expect(ticks()).toBe(3);
  });

  it("ticks again after its pause", async () => {
    const { worker, ticks } = workerThatFinds([], 1);
    worker.start();
    await until(() => ticks() >= 3);
    await expect(worker.stop()).resolves.toBeUndefined();
  });

  it("ticks again when it is woken, even during a tick", async () => {
    const { worker, ticks } = workerThatFinds([], hourMs);
    worker.start();
    worker.wake(); // during its first tick
    await until(() => ticks() === 2);
    worker.wake();
    await until(() => ticks() === 3);
    await worker.stop();
    expect(ticks()).toBe(3);
  });

  it("goes on after a tick that throws, and counts it", async () => {
    const errors: unknown[] = [];
    const log = pino({ level: "error" }, { write: (line: string) => errors.push(JSON.parse(line)) });
    const { worker, ticks, failed } = workerThatFinds([new Error("the database is away"), 1], 1, log);
    worker.start();
    await until(() => ticks() >= 3);
    await worker.stop();
    expect(errors).toMatchObject([{ worker: "test", err: { message: "the database is away" } }]);
    expect(failed).toEqual(["test"]);
  });

  it("starts once, however often start is called", async () => {
    const { worker, ticks } = workerThatFinds([1], hourMs);
    worker.start();
    worker.start();
    await until(() => ticks() === 2);
    await worker.stop();
    expect(ticks()).toBe(2);
  });
});

describe("stopping a polling worker", () => {
  it("waits for the current tick, and aborts its signal", async () => {
    const finish = Promise.withResolvers<number>();
    const signals: AbortSignal[] = [];
    const worker = new PollingWorker(
      "test",
      hourMs,
      (signal) => (signals.push(signal), finish.promise),
      silent,
      () => undefined,
    );
    worker.start();
    let stopped = false;
    const stopping = worker.stop().then(() => (stopped = true));
    expect([signals[0]?.aborted, stopped]).toEqual([true, false]);
    finish.resolve(1);
    await stopping;
    expect(signals).toHaveLength(1);
  });

  it("ends its pause at once", async () => {
    const { worker, ticks } = workerThatFinds([], hourMs);
    worker.start();
    await until(() => ticks() === 1);
    await expect(worker.stop()).resolves.toBeUndefined();
  });

  it("resolves when the worker was never started", async () => {
    await expect(workerThatFinds([], hourMs).worker.stop()).resolves.toBeUndefined();
  });
});
