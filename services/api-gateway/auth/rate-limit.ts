import type { FastifyReply } from "fastify";
import ipaddr from "ipaddr.js";
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";

/** A list reads up to a hundred rows. */
export const costOfList = 5;
const burstWindowSeconds = 10;
const failuresWindowSeconds = 60;

export interface RateLimitSettings {
  /** What a book may spend per second; 0 limits nothing. */
  readonly perSecond: number;
  /** What it may spend in one second at most, by drawing on a reserve that is full again after ten seconds. */
  readonly burst: number;
  /** Keys that don't work, per address and minute; 0 limits nothing. */
  readonly failedKeysPerMinute: number;
}

/**
 * How much a book may ask, and how often an address may try keys. Counted in this instance's memory: nobody waits
 * for a shared counter, and n instances let through n times as much (ADR 13).
 */
export class RateLimits {
  readonly #books: BurstyRateLimiter | undefined;
  readonly #addresses: RateLimiterMemory | undefined;
  readonly #policy: string;

  constructor({ perSecond, burst, failedKeysPerMinute }: RateLimitSettings) {
    const reserve = Math.max(burst - perSecond, 0);
    this.#books =
      perSecond === 0
        ? undefined
        : new BurstyRateLimiter(
            new RateLimiterMemory({ points: perSecond, duration: 1 }),
            new RateLimiterMemory({ points: reserve, duration: burstWindowSeconds, keyPrefix: "burst" }),
          );
    this.#addresses =
      failedKeysPerMinute === 0
        ? undefined
        : new RateLimiterMemory({ points: failedKeysPerMinute, duration: failuresWindowSeconds });
    this.#policy = `"default";q=${String(perSecond)};w=1, "burst";q=${String(reserve)};w=${String(burstWindowSeconds)}`;
  }

  /**
   * Spends of a book's second, and says what is left of it (draft-ietf-httpapi-ratelimit-headers).
   * Refusal: `rate_limited`.
   */
  async spend(book: BookId, cost: number, reply: FastifyReply): Promise<void> {
    if (this.#books === undefined) return;
    reply.header("ratelimit-policy", this.#policy);
    const outcome = await outcomeOf(this.#books.consume(book, cost));
    const seconds = secondsUntil(outcome.left.msBeforeNext);
    reply.header("ratelimit", `"default";r=${String(outcome.left.remainingPoints)};t=${String(seconds)}`);
    if (!outcome.passes) {
      throw tooMany("Wait for the seconds in Retry-After, and send fewer requests per second.", seconds);
    }
  }

  /** Counts a key that did not work against the address that sent it. Refusal: `rate_limited`. */
  async countFailure(address: string): Promise<void> {
    if (this.#addresses === undefined) return;
    const outcome = await outcomeOf(this.#addresses.consume(networkOf(address)));
    if (!outcome.passes) {
      throw tooMany(
        "Too many keys from this address did not work. Send one that is in force, which goes through at once, or wait for the seconds in Retry-After.",
        secondsUntil(outcome.left.msBeforeNext),
      );
    }
  }
}

/** The library rejects with a plain result where a limit is exceeded, and with an error where it failed. */
async function outcomeOf(
  consumed: Promise<RateLimiterRes>,
): Promise<{ readonly passes: boolean; readonly left: RateLimiterRes }> {
  try {
    return { passes: true, left: await consumed };
  } catch (error) {
    if (error instanceof RateLimiterRes) return { passes: false, left: error };
    throw error;
  }
}

function secondsUntil(delayMs: number): number {
  return Math.max(1, Math.ceil(delayMs / 1_000));
}

function tooMany(detail: string, retryAfterSeconds: number): Refusal {
  return new Refusal("rate_limited", detail, { context: { retryAfterSeconds } });
}

/** Whoever has one IPv6 address has the 2^64 of its network: they count as one. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : parsed.toByteArray().slice(0, 8).join(".");
}
