import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { RateLimits } from "./rate-limit.ts";

const tenant = newId("ten");
const book = bookIdOf(tenant, "Test");
const neighbour = bookIdOf(tenant, "Live");

let limits: RateLimits;
let headers: Record<string, string>;
const reply = {
  header: (name: string, value: string) => {
    headers[name] = value;
  },
} as unknown as FastifyReply;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  headers = {};
  limits = new RateLimits({ perSecond: 10, burst: 14, failedKeysPerMinute: 3 });
});
afterEach(() => vi.useRealTimers());

/** How many of these requests are accepted. */
async function through(requests: number, cost = 1, of = book): Promise<number> {
  let passed = 0;
  for (let request = 0; request < requests; request += 1) {
    await limits.spend(of, cost, reply).then(
      () => (passed += 1),
      () => undefined,
    );
  }
  return passed;
}

describe("a book", () => {
  it("may spend its limit per second, and its reserve", async () => {
    expect(await through(20)).toBe(14);
    vi.advanceTimersByTime(1_000);
    expect(await through(20)).toBe(10);
    vi.advanceTimersByTime(10_000);
    expect(await through(20)).toBe(14);
  });

  it("pays five for a list", async () => {
    expect(await through(3, 5)).toBe(2);
  });

  it("does not spend another book's limit", async () => {
    await through(20);
    expect(await through(20, 1, neighbour)).toBe(14);
  });

  it("gets its limit and the rest in headers", async () => {
    await through(4);
    expect(headers).toEqual({
      "ratelimit-policy": '"default";q=10;w=1, "burst";q=4;w=10',
      ratelimit: '"default";r=6;t=1',
    });
  });

  it("gets the time to wait when it is refused", async () => {
    await through(14);
    await expect(limits.spend(book, 1, reply)).rejects.toMatchObject({
      code: "rate_limited",
      context: { retryAfterSeconds: 1 },
    });
    expect(headers["ratelimit"]).toBe('"default";r=0;t=1');
  });

  it("has no limit and gets no headers when limits are off", async () => {
    limits = new RateLimits({ perSecond: 0, burst: 0, failedKeysPerMinute: 0 });
    expect(await through(1_000)).toBe(1_000);
    expect(headers).toEqual({});
    await expect(limits.countFailure("192.0.2.1")).resolves.toBeUndefined();
  });
});

describe("an address", () => {
  const fails = (address: string) =>
    limits.countFailure(address).then(
      () => "counted",
      (refusal: { code: string; context: object }) => refusal,
    );

  it("may send a limited number of invalid keys per minute", async () => {
    const first = [await fails("192.0.2.1"), await fails("192.0.2.1"), await fails("192.0.2.1")];
    expect(first).toEqual(["counted", "counted", "counted"]);
    vi.advanceTimersByTime(20_000);
    expect(await fails("192.0.2.1")).toMatchObject({
      code: "rate_limited",
      context: { retryAfterSeconds: 40 },
    });
    expect(await fails("192.0.2.2")).toBe("counted");
    vi.advanceTimersByTime(40_000);
    expect(await fails("192.0.2.1")).toBe("counted");
  });

  it("may guess a limited number of passwords per minute, and what was right does not count", async () => {
    const guess = (found: string | undefined) =>
      limits
        .countWrongPasswords("192.0.2.1", () => Promise.resolve(found))
        .catch((refusal: { code: string; context: object }) => refusal);
    for (let count = 0; count < 5; count += 1) expect(await guess("right")).toBe("right");
    expect(await Promise.all([guess(undefined), guess(undefined), guess(undefined)])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    vi.advanceTimersByTime(20_000);
    expect(await guess("right")).toMatchObject({ code: "rate_limited", context: { retryAfterSeconds: 40 } });
    // Another integration at this address that sends invalid keys locks nobody out, nor the other way round.
    expect(await fails("192.0.2.1")).toBe("counted");
    vi.advanceTimersByTime(40_000);
    expect(await guess("right")).toBe("right");
  });

  it("may cause a limited number of calls to a provider per minute, and the two of a successful sign-in do not count", async () => {
    const call = () => limits.countProviderCall("192.0.2.1");
    for (let count = 0; count < 5; count += 1) {
      expect(await Promise.all([call(), call()])).toEqual([true, true]);
      await limits.forgiveProviderCalls("192.0.2.1");
    }
    expect(await Promise.all([call(), call(), call(), call()])).toEqual([true, true, true, false]);
    expect(await fails("192.0.2.1")).toBe("counted");
    vi.advanceTimersByTime(60_000);
    expect(await call()).toBe(true);
  });

  it("of IPv6 counts as its /64, and an IPv4-mapped one as its IPv4 address", async () => {
    for (const host of ["1", "2", "3"]) await fails(`2001:db8::${host}`);
    expect(await fails("2001:db8::ffff")).toMatchObject({ code: "rate_limited" });
    expect(await fails("2001:db8:0:1::1")).toBe("counted");
    for (const mapped of Array<string>(3).fill("::ffff:192.0.2.1")) await fails(mapped);
    expect(await fails("192.0.2.1")).toMatchObject({ code: "rate_limited" });
  });
});
