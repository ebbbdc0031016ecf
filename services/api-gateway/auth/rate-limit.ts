import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { networkOf } from "./domain/address-blocks.ts";

/** A list reads up to a hundred rows. */
export const costOfList = 5;
/** With the default limits (cost 64 under way, 100 per second), a book can have only one such request under way. */
export const costOfWholeBook = 50;
const bytesPerCost = 2_048;
const maxCostOfBody = 10;
/** The assumed size of a body without a Content-Length: about that of a transaction with a hundred entries. */
const assumedBodyBytes = 10_240;

/** What a body costs in addition to its request: one for each 2 KiB, at most ten. */
export function costOfBody(headers: IncomingHttpHeaders): number {
  const bytes = Number(
    headers["content-length"] ?? (headers["transfer-encoding"] === undefined ? 0 : assumedBodyBytes),
  );
  return Math.min(maxCostOfBody, Math.floor(bytes / bytesPerCost));
}

/** Names the limit that a request spends: the API keys of a book share one, and its people share another. */
export type RateLimitKey = BookId | `${BookId} people`;

/** People have a limit of their own, so that whoever has a leaked key can't keep them from revoking it. */
export function rateLimitKeyOf(book: BookId, isPerson: boolean): RateLimitKey {
  return isPerson ? `${book} people` : book;
}

const burstWindowSeconds = 10;
const failuresWindowSeconds = 60;

export interface RateLimitSettings {
  /** How much the API keys of a book may spend per second, and its people as much; 0 means no limit. */
  readonly perSecond: number;
  /** How much they may spend in a single second, from a reserve that refills in ten seconds. */
  readonly burst: number;
  /** Invalid keys, and wrong passwords, per address and minute; 0 means no limit. */
  readonly failedKeysPerMinute: number;
}

/**
 * Limits the requests of a book, and the invalid keys and wrong passwords of an address. Counted in this instance's
 * memory, so that no request waits for a shared counter; n instances allow n times as much (ADR 13).
 */
export class RateLimits {
  readonly #books: BurstyRateLimiter | undefined;
  readonly #addresses: RateLimiterMemory | undefined;
  readonly #guesses: RateLimiterMemory | undefined;
  readonly #providerCalls: RateLimiterMemory | undefined;
  readonly #policy: string;
  readonly #perSecond: number;

  constructor({ perSecond, burst, failedKeysPerMinute }: RateLimitSettings) {
    this.#perSecond = perSecond;
    const reserve = Math.max(burst - perSecond, 0);
    this.#books =
      perSecond === 0
        ? undefined
        : new BurstyRateLimiter(
            new RateLimiterMemory({ points: perSecond, duration: 1 }),
            new RateLimiterMemory({ points: reserve, duration: burstWindowSeconds, keyPrefix: "burst" }),
          );
    const perMinute = () =>
      failedKeysPerMinute === 0
        ? undefined
        : new RateLimiterMemory({ points: failedKeysPerMinute, duration: failuresWindowSeconds });
    this.#addresses = perMinute();
    this.#guesses = perMinute();
    this.#providerCalls = perMinute();
    this.#policy = `"default";q=${String(perSecond)};w=1, "burst";q=${String(reserve)};w=${String(burstWindowSeconds)}`;
  }

  /**
   * Spends part of a limit and sets the headers that show the rest (draft-ietf-httpapi-ratelimit-headers). What
   * costs more than a second's limit spends all of it: otherwise it would never pass. Refusals: `rate_limited`.
   */
  async spend(limitKey: RateLimitKey, cost: number, reply: FastifyReply): Promise<void> {
    if (this.#books === undefined) return;
    reply.header("ratelimit-policy", this.#policy);
    const outcome = await outcomeOf(this.#books.consume(limitKey, Math.min(cost, this.#perSecond)));
    const seconds = secondsUntil(outcome.left.msBeforeNext);
    reply.header("ratelimit", `"default";r=${String(outcome.left.remainingPoints)};t=${String(seconds)}`);
    if (!outcome.passes) {
      throw tooMany("Wait as many seconds as Retry-After says, and send fewer requests per second.", seconds);
    }
  }

  /** Counts an invalid key against the address that sent it. Refusals: `rate_limited`. */
  async countFailure(address: string): Promise<void> {
    if (this.#addresses === undefined) return;
    const outcome = await outcomeOf(this.#addresses.consume(networkOf(address)));
    if (!outcome.passes) {
      throw tooMany(
        "This address sent too many invalid keys. Send a valid key, which works at once, or wait as many seconds as Retry-After says.",
        secondsUntil(outcome.left.msBeforeNext),
      );
    }
  }

  /**
   * Counts a request that a sign-in makes us send to an OpenID provider; false if this address caused too many. Invalid
   * keys have another counter: those of one program must not keep its whole office from signing in.
   */
  async countProviderCall(address: string): Promise<boolean> {
    if (this.#providerCalls === undefined) return true;
    return (await outcomeOf(this.#providerCalls.consume(networkOf(address)))).passes;
  }

  /**
   * After a sign-in succeeded: its two requests to the provider no longer count. If the minute changed in between, the
   * address gets one more.
   */
  async forgiveProviderCalls(address: string): Promise<void> {
    await this.#providerCalls?.reward(networkOf(address), 2);
  }

  /**
   * Runs an attempt with a password; undefined says that it was wrong. An attempt is counted before it runs, so that
   * many at the same time can't pass the limit, and no longer counts if the password was right. A password is short
   * enough to be guessed, so from an address above the limit even the right one is refused. Refusals: `rate_limited`.
   */
  async countWrongPasswords<T>(
    address: string,
    attempt: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (this.#guesses === undefined) return attempt();
    const network = networkOf(address);
    const { passes, left } = await outcomeOf(this.#guesses.consume(network));
    if (!passes) {
      throw tooMany(
        "This address sent too many wrong passwords. Wait as many seconds as Retry-After says.",
        secondsUntil(left.msBeforeNext),
      );
    }
    const result = await attempt();
    if (result !== undefined) await this.#guesses.reward(network);
    return result;
  }
}

/** The library rejects with a plain result when a limit is exceeded, and with an error when it fails. */
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
