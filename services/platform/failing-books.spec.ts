import pino from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { type BookId, bookIdOf, newId } from "../../contracts/ids/ids.ts";
import { Metrics } from "./observability/metrics.ts";
import { FailingBooks, notTried } from "./failing-books.ts";

const start = new Date("2026-03-02T12:00:00.000Z");
const after = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
const book = bookIdOf(newId("ten"), "Test");
const fails = () => Promise.reject(new RangeError("a bad row"));
const succeeds = () => Promise.resolve("done");

let lines: Record<string, unknown>[];
let metrics: Metrics;
let failing: FailingBooks;
beforeEach(() => {
  lines = [];
  const log = pino({ level: "warn" }, { write: (line: string) => lines.push(JSON.parse(line) as never) });
  metrics = new Metrics("test");
  failing = new FailingBooks("sweeper", { metrics, log });
});

describe("a book that fails", () => {
  it("is logged with its worker, and counted", async () => {
    expect(await failing.attempt(book, start, fails)).toBeUndefined();
    expect(lines).toMatchObject([{ book, worker: "sweeper", err: { message: "a bad row" } }]);
    const counter = metrics.registry.getSingleMetric("quittance_worker_failed_ticks_total");
    expect((await counter?.get())?.values).toMatchObject([{ value: 1, labels: { worker: "sweeper" } }]);
  });

  it("waits for 5 s, then for twice as long each time, up to a minute", async () => {
    let at = 0;
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      await failing.attempt(book, after(at), fails);
      expect([
        failing.isWaiting(book, after(at + seconds - 1)),
        failing.due(after(at + seconds - 1)),
      ]).toEqual([true, []]);
      at += seconds;
      expect([failing.isWaiting(book, after(at)), failing.due(after(at))]).toEqual([false, [book]]);
    }
  });

  it("is tried again at once after the clock has stepped back by more than the longest wait", async () => {
    await failing.attempt(book, after(3_600), fails);
    expect([failing.isWaiting(book, start), failing.due(start)]).toEqual([false, [book]]);
  });

  it("waits no longer once it succeeds, and the next failure waits for 5 s again", async () => {
    for (const at of [0, 5]) await failing.attempt(book, after(at), fails);
    expect(await failing.attempt(book, after(15), succeeds)).toBe("done");
    expect([failing.all, failing.isWaiting(book, after(15))]).toEqual([[], false]);
    await failing.attempt(book, after(20), fails);
    expect(failing.due(after(25))).toEqual([book]);
  });

  it("leaves the count of failures as it is if another instance did the work", async () => {
    for (const at of [0, 5]) await failing.attempt(book, after(at), fails);
    expect(await failing.attempt(book, after(15), () => Promise.resolve(notTried))).toBe(notTried);
    expect(failing.due(after(15))).toEqual([book]);
    await failing.attempt(book, after(15), fails);
    expect(failing.isWaiting(book, after(34))).toBe(true);
  });
});

it.each(["40P01", "55P03", "57014"])("after %s a book waits, because its rows can cause it", async (code) => {
  const error = Object.assign(new Error("of its rows"), { code });
  await failing.attempt(book, start, () => Promise.reject(error));
  expect(failing.all).toEqual<BookId[]>([book]);
});

it("an unavailable database is no failure of the book, and throws", async () => {
  const away = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
  await expect(failing.attempt(book, start, () => Promise.reject(away))).rejects.toThrow("away");
  expect([failing.all, lines]).toEqual([[], []]);
});
