import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import type { KnownKey } from "./store/known-keys.ts";
import { hashOf } from "./api-key.ts";
import { KeyCache } from "./key-cache.ts";

const tenant = newId("ten");
const maker: KnownKey = {
  apiKeyId: newId("key"),
  session: null,
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
let lookups: number;
let answer: () => Promise<KnownKey | undefined>;
let keys: KeyCache;

beforeEach(() => {
  now = 5_000;
  lookups = 0;
  answer = () => Promise.resolve(maker);
  keys = new KeyCache(
    () => {
      lookups += 1;
      return answer();
    },
    () => now,
  );
});

describe("a key that was looked up", () => {
  it("is cached for a second, and no longer", async () => {
    expect(await keys.byHash(hash)).toBe(maker);
    now += 999;
    expect(await keys.byHash(hash)).toBe(maker);
    expect(lookups).toBe(1);
    now += 1;
    await keys.byHash(hash);
    expect(lookups).toBe(2);
  });

  it("is looked up once for concurrent callers", async () => {
    await Promise.all(Array.from({ length: 50 }, () => keys.byHash(hash)));
    expect(lookups).toBe(1);
  });

  it("is removed from the cache at once when a revocation is reported", async () => {
    await keys.byHash(hash);
    answer = () => Promise.resolve(undefined);
    keys.clear();
    expect(await keys.byHash(hash)).toBeUndefined();
  });

  it("is not cached again by a look-up that was running when the revocation was reported", async () => {
    let arrive: (key: KnownKey) => void = () => undefined;
    answer = () => new Promise((resolve) => (arrive = resolve));
    const early = keys.byHash(hash);
    keys.clear();
    arrive(maker);
    await early;
    answer = () => Promise.resolve(undefined);
    expect(await keys.byHash(hash)).toBeUndefined();
  });

  it("is cached in the same way if it does not exist", async () => {
    answer = () => Promise.resolve(undefined);
    await keys.byHash(hash);
    await keys.byHash(hash);
    expect(lookups).toBe(1);
  });

  it("is looked up again after a failure", async () => {
    answer = () => Promise.reject(new Error("the database is away"));
    await expect(keys.byHash(hash)).rejects.toThrow("the database is away");
    answer = () => Promise.resolve(maker);
    expect(await keys.byHash(hash)).toBe(maker);
  });

  it("is evicted after ten thousand others", async () => {
    await keys.byHash(hash);
    for (let other = 0; other < 10_000; other += 1) await keys.byHash(hashOf(`other ${String(other)}`));
    lookups = 0;
    await keys.byHash(hash);
    expect(lookups).toBe(1);
  });
});
