import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import type { Scope } from "../../../contracts/http/scopes.ts";
import type { KnownKey } from "./store/api-keys.ts";
import { hashOf, isWellFormedKey } from "./api-key.ts";
import { isWithin } from "./address-blocks.ts";
import type { KeyUsage } from "./key-usage.worker.ts";
import type { KeyCache } from "./key-cache.ts";
import type { RateLimits } from "./rate-limit.ts";
import type { VersionCounts } from "./version-counts.worker.ts";
import { versionOf } from "../http/versioning.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls; null on routes that need no key. */
    knownKey: KnownKey | null;
  }
  interface FastifyContextConfig {
    /** The operation's id. */
    operation?: string;
    /** The scope that the route needs, or "public" for one that needs no key. */
    access?: Scope | "public";
    /** Only Test books have simulated rails. */
    testKeysOnly?: boolean;
    /** It has a query that is validated; without one no parameter is known. */
    takesQuery?: boolean;
    /** What a request spends of its book's rate limit; 1 unless said otherwise. */
    cost?: number;
  }
}

/** One text for every key that doesn't work: unknown, revoked, expired or mistyped. */
function keyInvalid(): Refusal {
  return new Refusal("api_key_invalid", "Send an API key that is in force, in the X-API-Key header.");
}

interface Guards {
  readonly keys: KeyCache;
  readonly limits: RateLimits;
  readonly usage: KeyUsage;
  readonly versions: VersionCounts;
}

/**
 * Says who calls before a byte of the body is read, and refuses who may not: `api_key_missing`, `api_key_invalid`,
 * `tenant_inactive`, `ip_not_allowed`, `rate_limited`, `insufficient_scope`, `simulation_requires_test_key`.
 */
export function authenticator({ keys, limits, usage, versions }: Guards) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { url = "", config } = request.routeOptions;
    // Health and metrics are the platform's; a path without a route has nothing to protect.
    const version = versionOf(url);
    if (version === undefined || config.access === "public") return;
    const key = await knownKeyOf(request.headers["x-api-key"], keys);
    if (key === undefined) {
      // A key that works is never held up by those that don't: only this answer changes.
      await limits.countFailure(request.ip);
      throw keyInvalid();
    }
    requireAllowedAddress(key, request.ip);
    usage.record(key.id);
    versions.record(key, version);
    await limits.spend(key.book, config.cost ?? 1, reply);
    requireScope(key, config.access);
    if (config.testKeysOnly === true && key.mode !== "Test") {
      throw new Refusal("simulation_requires_test_key", "Use a qt_test_ key: live money can't be simulated.");
    }
    request.knownKey = key;
    request.logFields = { keyId: key.id, tenant: key.tenant, mode: key.mode, principal: key.principal };
  };
}

/** The key in force, undefined for one that does not work. Refusal: `api_key_missing`. */
async function knownKeyOf(
  header: string | string[] | undefined,
  keys: KeyCache,
): Promise<KnownKey | undefined> {
  const text = Array.isArray(header) ? header.join(",") : header;
  if (text === undefined || text === "") {
    throw new Refusal("api_key_missing", "Send your API key in the X-API-Key header.");
  }
  // Whether a text is a key at all is public knowledge; whether a key exists takes the same look-up either way.
  if (!isWellFormedKey(text)) return undefined;
  const key = await keys.byHash(hashOf(text));
  const isOver = key !== undefined && key.expiresAt !== null && key.expiresAt.getTime() <= Date.now();
  return isOver ? undefined : key;
}

function requireAllowedAddress(key: KnownKey, address: string): void {
  if (!key.tenantActive) {
    throw new Refusal("tenant_inactive", "The tenant is suspended: the operator can reactivate it.");
  }
  if (key.ipAllowlist.length > 0 && !isWithin(address, key.ipAllowlist)) {
    throw new Refusal("ip_not_allowed", "Call from an address on the key's allowlist, or use another key.");
  }
}

function requireScope(key: KnownKey, access: Scope | undefined): void {
  if (access === undefined) throw new Error("a route under /v1 names neither a scope nor that it is public");
  if (key.scopes.has(access)) return;
  throw new Refusal("insufficient_scope", `Use a key with the scope ${access}.`, {
    context: { requiredScope: access },
  });
}
