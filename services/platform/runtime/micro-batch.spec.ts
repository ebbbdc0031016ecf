import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { until } from "../../../test/stack/until.ts";
import { MicroBatch } from "./micro-batch.ts";

/** A batch whose runs wait until they are released, and record their items. */
function heldBatch(options: {
  maxItems: number;
  maxInFlight: number;
  refuse?: (item: number) => Error | undefined;
}) {
  const runs: {
    items: readonly number[];
    release: (results?: (string | Error)[]) => void;
    fail: (error: unknown) => void;
  }[] = [];
  const started: (() => void)[] = [];
  const batch = new MicroBatch<number, string>((items) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly (string | Error)[]>();
    runs.push({ items, release: (results = items.map(String)) => resolve(results), fail: reject });
    started.splice(0).forEach((act) => act());
    return promise;
  }, options);
  const running = async (count: number) => {
    while (runs.length < count) await new Promise<void>((resolve) => started.push(resolve));
  };
  return { batch, runs, running };
}

describe("a natural micro-batch", () => {
  it("runs a lone item at once", async () => {
    const { batch, runs, running } = heldBatch({ maxItems: 64, maxInFlight: 1 });
    const answer = batch.add(7);
    await running(1);
    runs[0]?.release();
    expect(await answer).toBe("7");
  });

  it("puts the items that arrive during one run into the next", async () => {
    const { batch, runs, running } = heldBatch({ maxItems: 64, maxInFlight: 1 });
    const first = batch.add(1);
    await running(1);
    const rest = [2, 3, 4].map((item) => batch.add(item));
    runs[0]?.release();
    await running(2);
    runs[1]?.release();
    expect(await Promise.all([first, ...rest])).toEqual(["1", "2", "3", "4"]);
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
  });

  it("never takes more than `maxItems`, nor has more than `maxInFlight` runs", async () => {
    const { batch, runs, running } = heldBatch({ maxItems: 2, maxInFlight: 2 });
    const answers = [1, 2, 3, 4, 5].map((item) => batch.add(item));
    await running(2);
    await new Promise(setImmediate);
    expect(runs.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    runs[1]?.release();
    await running(3);
    runs[0]?.release();
    runs[2]?.release();
    expect(await Promise.all(answers)).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("rejects only the item whose result is an error", async () => {
    const { batch, runs, running } = heldBatch({ maxItems: 64, maxInFlight: 1 });
    const answers = Promise.allSettled([batch.add(1), batch.add(2), batch.add(3)]);
    await running(1);
    runs[0]?.release(["1", new Error("2 is refused"), "3"]);
    expect(await answers).toMatchObject([
      { value: "1" },
      { reason: { message: "2 is refused" } },
      { value: "3" },
    ]);
  });

  it("rejects all of a batch that throws, and goes on with the next", async () => {
    const { batch, runs, running } = heldBatch({ maxItems: 2, maxInFlight: 1 });
    const answers = Promise.allSettled([batch.add(1), batch.add(2), batch.add(3)]);
    await running(1);
    runs[0]?.fail("the database is away");
    await running(2);
    runs[1]?.release();
    expect(await answers).toMatchObject([
      { reason: { message: "the database is away" } },
      { reason: { message: "the database is away" } },
      { value: "3" },
    ]);
  });
});

describe("an item that has waited for too long", () => {
  it("is refused just before its batch, and the others run", async () => {
    const late = new Set<number>();
    const refuse = (item: number) => (late.has(item) ? new Error("too late") : undefined);
    const { batch, runs, running } = heldBatch({ maxItems: 2, maxInFlight: 1, refuse });
    const first = batch.add(1);
    await running(1);
    const rest = [2, 3, 4].map((item) => batch.add(item).catch((error: unknown) => error));
    late.add(2).add(4);
    runs[0]?.release();
    await running(2);
    expect(runs[1]?.items).toEqual([3]);
    runs[1]?.release();
    expect(await first).toBe("1");
    expect(await Promise.all(rest)).toEqual([new Error("too late"), "3", new Error("too late")]);
  });
});

describe("a micro-batch with a least time between two batches", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => vi.useRealTimers());

  const timed = (
    options: { readonly enough?: number; readonly burst?: number; readonly loneAtOnce?: boolean } = {},
  ) => {
    const runs: (readonly number[])[] = [];
    const batch = new MicroBatch<number, number>(
      (items) => {
        runs.push(items);
        return Promise.resolve(items);
      },
      { maxItems: 3, maxInFlight: 1, minIntervalMs: 10, ...options },
    );
    return { batch, runs };
  };

  it("starts the first after idleness at once, and collects the next until the time is over", async () => {
    const { batch, runs } = timed();
    await batch.add(1);
    const next = batch.add(2);
    await new Promise(setImmediate);
    vi.advanceTimersByTime(9);
    const last = batch.add(3);
    await new Promise(setImmediate);
    expect(runs).toEqual([[1]]);
    vi.advanceTimersByTime(1);
    expect(await Promise.all([next, last])).toEqual([2, 3]);
    vi.advanceTimersByTime(10);
    await batch.add(4);
    expect(runs).toEqual([[1], [2, 3], [4]]);
  });

  it("starts a full batch at once", async () => {
    const { batch, runs } = timed();
    await batch.add(1);
    await Promise.all([2, 3, 4].map((item) => batch.add(item)));
    expect(runs).toEqual([[1], [2, 3, 4]]);
  });

  it("starts as many after idleness at once as `burst` says", async () => {
    const { batch, runs } = timed({ burst: 2 });
    await batch.add(1);
    await batch.add(2);
    const third = batch.add(3);
    await new Promise(setImmediate);
    expect(runs).toEqual([[1], [2]]);
    vi.advanceTimersByTime(10);
    expect(await third).toBe(3);
  });

  it("can start an item at once that finds no other waiting and no batch running", async () => {
    const { batch, runs } = timed({ loneAtOnce: true });
    await batch.add(1);
    await batch.add(2);
    const [third, fourth] = [batch.add(3), batch.add(4)];
    await Promise.all([third, fourth]);
    expect(runs).toEqual([[1], [2], [3, 4]]);
  });

  it("makes an item wait that arrives while a batch runs, even if it is alone when that ends", async () => {
    const { promise, resolve } = Promise.withResolvers<readonly number[]>();
    const runs: (readonly number[])[] = [];
    const batch = new MicroBatch<number, number>(
      (items) => {
        runs.push(items);
        return runs.length === 1 ? promise : Promise.resolve(items);
      },
      { maxItems: 3, maxInFlight: Infinity, minIntervalMs: 10, loneAtOnce: true },
    );
    const first = batch.add(1);
    await new Promise(setImmediate);
    const second = batch.add(2);
    resolve([1]);
    await first;
    await new Promise(setImmediate);
    expect(runs).toEqual([[1]]);
    vi.advanceTimersByTime(10);
    expect(await second).toBe(2);
  });

  it("starts one with enough items at once", async () => {
    const { batch, runs } = timed({ enough: 2 });
    await batch.add(1);
    await Promise.all([2, 3].map((item) => batch.add(item)));
    expect(runs).toEqual([[1], [2, 3]]);
  });
});

describe("a micro-batch with a greatest weight", () => {
  it("takes what fits, and a heavier item alone", async () => {
    const runs: (readonly number[])[] = [];
    const batch = new MicroBatch<number, number>(
      (items) => {
        runs.push(items);
        return Promise.resolve(items);
      },
      { maxItems: 64, maxInFlight: 1, weight: { of: (item) => item, max: 10 } },
    );
    await Promise.all([4, 6, 1, 30, 2].map((item) => batch.add(item)));
    expect(runs).toEqual([[4, 6], [1], [30], [2]]);
  });

  it("runs what did not fit without waiting for another item, or for the end of a batch", async () => {
    const runs: (readonly number[])[] = [];
    const batch = new MicroBatch<number, number>(
      (items) => {
        runs.push(items);
        return new Promise(() => undefined);
      },
      { maxItems: 64, maxInFlight: 9, minIntervalMs: 5, weight: { of: (item) => item, max: 10 } },
    );
    void batch.add(1);
    await until(() => runs.length === 1);
    for (const item of [6, 5, 7]) void batch.add(item);
    await until(() => runs.length === 4);
    expect(runs).toEqual([[1], [6], [5], [7]]);
  });
});
