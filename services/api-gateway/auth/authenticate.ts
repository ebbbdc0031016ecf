import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import type { Scope } from "../../../contracts/http/scopes.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { KnownKey, WaitingKey } from "./store/known-keys.ts";
import { hashOf, isWellFormedKey } from "./api-key.ts";
import { isWithin } from "./domain/address-blocks.ts";
import type { KeyUsage } from "./key-usage.worker.ts";
import type { KeyCache } from "./key-cache.ts";
import { type ConcurrencyLimit, tooManyUnderWay } from "../../platform/rpc/concurrency-limit.ts";
import { costOfBody, type RateLimits } from "./rate-limit.ts";
import type { VersionCounts } from "./version-counts.worker.ts";
import { versionOf } from "../http/versioning.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller's key; null on public routes. */
    knownKey: KnownKey | null;
  }
  interface FastifyContextConfig {
    /** The operation id. */
    operation?: string;
    /** The required scope, or "public" if the route needs no key. */
    access?: Scope | "any key" | "public";
    /** Simulations exist only in Test books. */
    testKeysOnly?: boolean;
    /** The route changes something, and takes an Idempotency-Key. */
    writes?: boolean;
    /** A person decides by it: its Idempotency-Key counts for this principal alone. */
    isDecision?: boolean;
    /** The route validates its query; without that, every parameter is unknown. */
    takesQuery?: boolean;
    /**
     * What a request without a body costs of its book's rate limit, and of what the book may have under way; 1 by
     * default.
     */
    cost?: number;
  }
}

/** A request with `Prefer: wait` reads its order again and again: while it is under way it costs this many times. */
const costFactorOfWait = 2;

/** The same text for every invalid key: unknown, revoked, expired or mistyped. */
export function keyInvalid(): Refusal {
  return new Refusal("api_key_invalid", "Send a valid API key in the X-API-Key header.");
}

/** Only who has the key itself learns that it waits. */
function keyWaits({ proposal }: WaitingKey): Refusal {
  return new Refusal(
    "api_key_invalid",
    `This key waits for an approval: it can be used once another principal has approved its proposal ${proposal}.`,
    { context: { proposalId: proposal } },
  );
}

interface Guards {
  readonly keys: KeyCache;
  readonly limits: RateLimits;
  readonly underWay: ConcurrencyLimit<BookId>;
  readonly usage: KeyUsage;
  readonly versions: VersionCounts;
}

/**
 * Authenticates and authorizes the caller before the body is read. Refusals: `api_key_missing`, `api_key_invalid`,
 * `tenant_inactive`, `ip_not_allowed`, `rate_limited`, `insufficient_scope`, `simulation_requires_test_key`.
 */
export function authenticator({ keys, limits, underWay, usage, versions }: Guards) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { url = "", config } = request.routeOptions;
    // A path without a version is a page for people or has no route: neither has anything to protect.
    const version = versionOf(url);
    if (version === undefined || config.access === "public") return;
    const key = await knownKeyOf(request.headers, keys);
    if (key === undefined || "proposal" in key) {
      // Invalid keys never delay a valid one: only the answer to an invalid key changes.
      await limits.countFailure(request.ip);
      throw key === undefined ? keyInvalid() : keyWaits(key);
    }
    requireActiveTenant(key);
    requireAllowedAddress(key, request.ip);
    usage.record(key.id);
    versions.record(key, version);
    const cost = (config.cost ?? 1) + costOfBody(request.headers);
    await limits.spend(key.book, cost, reply);
    // The caller has hung up: `close` was emitted already, and the request would be counted forever.
    if (request.raw.socket.destroyed) return void reply.hijack();
    const costUnderWay = request.headers.prefer === undefined ? cost : cost * costFactorOfWait;
    if (!underWay.enter(key.book, costUnderWay)) throw tooManyUnderWay();
    // Also emitted when the caller goes away before its answer.
    reply.raw.once("close", () => underWay.leave(key.book, costUnderWay));
    requireScope(key, config.access);
    if (config.testKeysOnly === true && key.mode !== "Test") {
      throw new Refusal(
        "simulation_requires_test_key",
        "Use a qt_test_ key: live payments can't be simulated.",
      );
    }
    request.knownKey = key;
    request.logFields = { keyId: key.id, tenant: key.tenant, mode: key.mode, principal: key.principal };
  };
}

/** The key, or undefined if it is not valid. Refusal: `api_key_missing`. */
async function knownKeyOf(
  { "x-api-key": header, authorization }: IncomingHttpHeaders,
  keys: KeyCache,
): Promise<KnownKey | WaitingKey | undefined> {
  const text = Array.isArray(header) ? header.join(",") : header;
  if (text === undefined || text === "") {
    const instead = authorization === undefined ? "" : ", not in Authorization";
    throw new Refusal("api_key_missing", `Send your API key in the X-API-Key header${instead}.`);
  }
  // The format of a key is public, so checking it first reveals nothing about which keys exist.
  if (!isWellFormedKey(text)) return undefined;
  const key = await keys.byHash(hashOf(text));
  if (key === undefined || "proposal" in key) return key;
  const isExpired = key.expiresAt !== null && key.expiresAt.getTime() <= Date.now();
  return isExpired ? undefined : key;
}

function requireActiveTenant(key: KnownKey): void {
  if (key.tenantActive) return;
  throw new Refusal("tenant_inactive", "The tenant is suspended: the operator can reactivate it.");
}

function requireAllowedAddress(key: KnownKey, address: string): void {
  if (key.ipAllowlist.length > 0 && !isWithin(address, key.ipAllowlist)) {
    throw new Refusal("ip_not_allowed", "Call from an address on the key's allowlist, or use another key.");
  }
}

function requireScope(key: KnownKey, access: Scope | "any key" | undefined): void {
  if (access === undefined) throw new Error("a route under /v1 does not say which access it needs");
  if (access === "any key" || key.scopes.has(access)) return;
  throw new Refusal("insufficient_scope", `Use a key with the scope ${access}.`, {
    context: { requiredScope: access },
  });
}
