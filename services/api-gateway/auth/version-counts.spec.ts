import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import type { Unsaved } from "../../platform/save-in-parts.ts";
import type { VersionUse } from "./store/version-use.ts";
import { VersionCounts } from "./version-counts.worker.ts";

const acme = { tenant: newId("ten"), mode: "Test" } as const;
const live = { ...acme, mode: "Live" } as const;

let now: Date;
let saved: (readonly VersionUse[])[];
let save: (uses: readonly VersionUse[]) => readonly Unsaved<VersionUse>[];
let counts: VersionCounts;
beforeEach(() => {
  now = new Date("2026-03-02T23:59:59.998Z");
  saved = [];
  save = () => [];
  counts = new VersionCounts(
    (uses) => {
      saved.push(uses);
      return Promise.resolve(save(uses));
    },
    pino({ level: "silent" }),
    () => undefined,
    () => now,
  );
});

describe("the calls of a version", () => {
  it("are counted by tenant, mode, version and UTC day, with the time of the last one", async () => {
    counts.record(acme, "v1");
    now = new Date("2026-03-02T23:59:59.999Z");
    counts.record(acme, "v1");
    counts.record(acme, "v2");
    counts.record(live, "v1");
    now = new Date("2026-03-03T00:00:00.000Z");
    counts.record(acme, "v1");
    await counts.saveCounted();
    const lastUsedAt = new Date("2026-03-02T23:59:59.999Z");
    expect(saved).toEqual([
      [
        { ...acme, version: "v1", day: "2026-03-02", requests: 2, lastUsedAt },
        { ...acme, version: "v2", day: "2026-03-02", requests: 1, lastUsedAt },
        { ...live, version: "v1", day: "2026-03-02", requests: 1, lastUsedAt },
        { ...acme, version: "v1", day: "2026-03-03", requests: 1, lastUsedAt: now },
      ],
    ]);
  });

  it("have the later time when the clock is set back within the day", async () => {
    counts.record(acme, "v1");
    now = new Date("2026-03-02T12:00:00.000Z");
    counts.record(acme, "v1");
    await counts.saveCounted();
    const lastUsedAt = new Date("2026-03-02T23:59:59.998Z");
    expect(saved).toEqual([[{ ...acme, version: "v1", day: "2026-03-02", requests: 2, lastUsedAt }]]);
  });

  it("that can't be saved are added to those that came during the save, of their own day", async () => {
    counts.record(acme, "v1");
    save = (uses) => {
      counts.record(acme, "v1");
      now = new Date("2026-03-03T00:00:00.000Z");
      counts.record(acme, "v1");
      return uses.map((item) => ({ item, error: new Error("the row is locked") }));
    };
    await expect(counts.saveCounted()).rejects.toThrow("the row is locked");
    save = () => [];
    await counts.saveCounted();
    const lastUsedAt = new Date("2026-03-02T23:59:59.998Z");
    expect(saved).toEqual([
      [{ ...acme, version: "v1", day: "2026-03-02", requests: 1, lastUsedAt }],
      [
        { ...acme, version: "v1", day: "2026-03-02", requests: 2, lastUsedAt },
        { ...acme, version: "v1", day: "2026-03-03", requests: 1, lastUsedAt: now },
      ],
    ]);
    await counts.saveCounted();
    expect(saved).toHaveLength(2);
  });
});
