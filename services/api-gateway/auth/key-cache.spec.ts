import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import type { KnownKey } from "./store/api-keys.ts";
import { hashOf } from "./api-key.ts";
import { KeyCache } from "./key-cache.ts";

const tenant = newId("ten");
const maker: KnownKey = {
  id: newId("key"),
  tenant,
  tenantActive: true,
  mode: "Test",
  book: bookIdOf(tenant, "Test"),
  principal: "maker",
  scopes: new Set(["orders:write"]),
  ipAllowlist: [],
  expiresAt: null,
};
const hash = hashOf("a key");

let now: number;
let asked: number;
let answer: () => Promise<KnownKey | undefined>;
let keys: KeyCache;

beforeEach(() => {
  now = 5_000;
  asked = 0;
  answer = () => Promise.resolve(maker);
  keys = new KeyCache(
    () => {
      asked += 1;
      return answer();
    },
    () => now,
  );
});

describe("a key that was looked up", () => {
  it("is remembered for a second, and no longer", async () => {
    expect(await keys.byHash(hash)).toBe(maker);
    now += 999;
    expect(await keys.byHash(hash)).toBe(maker);
    expect(asked).toBe(1);
    now += 1;
    await keys.byHash(hash);
    expect(asked).toBe(2);
  });

  it("is asked for once by callers at the same moment", async () => {
    await Promise.all(Array.from({ length: 50 }, () => keys.byHash(hash)));
    expect(asked).toBe(1);
  });

  it("is forgotten at once on word of a revocation", async () => {
    await keys.byHash(hash);
    answer = () => Promise.resolve(undefined);
    keys.clear();
    expect(await keys.byHash(hash)).toBeUndefined();
  });

  it("is not brought back by an answer that was under way when the revocation came", async () => {
    let arrive: (key: KnownKey) => void = () => undefined;
    answer = () => new Promise((resolve) => (arrive = resolve));
    const early = keys.byHash(hash);
    keys.clear();
    arrive(maker);
    await early;
    answer = () => Promise.resolve(undefined);
    expect(await keys.byHash(hash)).toBeUndefined();
  });

  it("that leads nowhere is remembered as long: both cost the same", async () => {
    answer = () => Promise.resolve(undefined);
    await keys.byHash(hash);
    await keys.byHash(hash);
    expect(asked).toBe(1);
  });

  it("is asked for again after a failure", async () => {
    answer = () => Promise.reject(new Error("the database is away"));
    await expect(keys.byHash(hash)).rejects.toThrow("the database is away");
    answer = () => Promise.resolve(maker);
    expect(await keys.byHash(hash)).toBe(maker);
  });

  it("leaves memory when ten thousand others came after it", async () => {
    await keys.byHash(hash);
    for (let other = 0; other < 10_000; other += 1) await keys.byHash(hashOf(`other ${String(other)}`));
    asked = 0;
    await keys.byHash(hash);
    expect(asked).toBe(1);
  });
});
