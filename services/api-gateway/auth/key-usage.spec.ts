import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { type ApiKeyId, newId } from "../../../contracts/ids/ids.ts";
import { KeyUsage } from "./key-usage.worker.ts";
import type { Unsaved } from "../../platform/save-in-parts.ts";

interface Use {
  readonly id: ApiKeyId;
  readonly at: Date;
}

const ana = newId("key");
const bob = newId("key");

let now: number;
let saved: Use[][];
let save: (uses: readonly Use[]) => Promise<readonly Unsaved<Use>[]>;
let usage: KeyUsage;
let logged: unknown[];
beforeEach(() => {
  logged = [];
  now = Date.parse("2026-03-02T15:04:05.678Z");
  saved = [];
  save = () => Promise.resolve([]);
  usage = new KeyUsage(
    async (uses) => {
      const failures = await save(uses);
      saved.push(uses.filter((use) => !failures.some(({ item }) => item === use)));
      return failures;
    },
    pino({ level: "error" }, { write: (line) => logged.push(JSON.parse(line)) }),
    () => undefined,
    () => now,
  );
});

describe("when a key was last used", () => {
  it("is saved to the minute, once per minute", async () => {
    for (let request = 0; request < 1_000; request += 1) usage.record(ana);
    usage.record(bob);
    await usage.saveNew();
    usage.record(ana);
    await usage.saveNew();
    const at = new Date("2026-03-02T15:04:00.000Z");
    expect(saved).toEqual([
      [
        { id: ana, at },
        { id: bob, at },
      ],
    ]);
  });

  it("is saved again with the next minute", async () => {
    usage.record(ana);
    await usage.saveNew();
    now += 60_000;
    usage.record(ana);
    await usage.saveNew();
    expect(saved.flat().map(({ at }) => at.toISOString())).toEqual([
      "2026-03-02T15:04:00.000Z",
      "2026-03-02T15:05:00.000Z",
    ]);
  });

  it("is saved later when it can't be saved, and that of other keys only once", async () => {
    const error = new Error("the row is locked");
    save = (uses) => Promise.resolve(uses.filter(({ id }) => id === ana).map((item) => ({ item, error })));
    usage.record(ana);
    usage.record(bob);
    await expect(usage.saveNew()).rejects.toThrow("the row is locked");
    save = () => Promise.resolve([]);
    await usage.saveNew();
    const at = new Date("2026-03-02T15:04:00.000Z");
    expect(saved).toEqual([[{ id: bob, at }], [{ id: ana, at }]]);
  });

  it("is saved before the process ends", async () => {
    usage.start();
    usage.record(ana);
    await usage.onModuleDestroy();
    expect(saved.flat()).toHaveLength(1);
  });

  it("is saved before the process ends, once the lock on its row is gone", async () => {
    let attempts = 0;
    save = (uses) => {
      attempts += 1;
      return Promise.resolve(attempts < 3 ? uses.map((item) => ({ item, error: new Error("locked") })) : []);
    };
    usage.record(ana);
    await usage.onModuleDestroy();
    expect(saved.flat()).toEqual([{ id: ana, at: new Date("2026-03-02T15:04:00.000Z") }]);
    expect(logged).toEqual([]);
  });

  it("is logged if it can't be saved before the process ends, which ends all the same", async () => {
    save = (uses) => Promise.resolve(uses.map((item) => ({ item, error: new Error("locked") })));
    usage.record(ana);
    await usage.onModuleDestroy();
    expect(logged).toEqual([
      expect.objectContaining({
        msg: "not saved before the process ends",
        worker: "key-usage",
        unsaved: [{ id: ana, at: "2026-03-02T15:04:00.000Z" }],
      }),
    ]);
  });
});
