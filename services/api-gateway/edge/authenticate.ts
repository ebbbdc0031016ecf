import type { FastifyRequest } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import type { Scope } from "../../../contracts/http/scopes.ts";
import type { KnownKey } from "../store/api-keys.ts";
import { hashOf, isWellFormedKey } from "./api-key.ts";
import { isWithin } from "./address-blocks.ts";
import type { KnownKeys } from "./known-keys.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls; null on routes that need no key. */
    knownKey: KnownKey | null;
  }
  interface FastifyContextConfig {
    /** The scope that the route needs, or "public" for one that needs no key. */
    access?: Scope | "public";
    /** Only Test books have simulated rails. */
    testKeysOnly?: boolean;
  }
}

/** One text for every key that doesn't work: unknown, revoked, expired or mistyped. */
function keyInvalid(): Refusal {
  return new Refusal("api_key_invalid", "Send an API key that is in force, in the X-API-Key header.");
}

/**
 * Says who calls before a byte of the body is read, and refuses who may not: `api_key_missing`, `api_key_invalid`,
 * `tenant_inactive`, `ip_not_allowed`, `insufficient_scope`, `simulation_requires_test_key`.
 */
export function authenticator(keys: KnownKeys) {
  return async (request: FastifyRequest): Promise<void> => {
    const { url = "", config } = request.routeOptions;
    // Health and metrics are the platform's; a path without a route has nothing to protect.
    if (!url.startsWith("/v1/") || config.access === "public") return;
    const key = await knownKeyOf(request.headers["x-api-key"], keys);
    refuseWhereNotAllowed(key, request.ip);
    refuseBeyondScope(key, config.access);
    if (config.testKeysOnly === true && key.mode !== "Test") {
      throw new Refusal("simulation_requires_test_key", "Use a qt_test_ key: live money can't be simulated.");
    }
    request.knownKey = key;
    request.said = { keyId: key.id, tenant: key.tenant, mode: key.mode, principal: key.principal };
  };
}

async function knownKeyOf(header: string | string[] | undefined, keys: KnownKeys): Promise<KnownKey> {
  const text = Array.isArray(header) ? header.join(",") : header;
  if (text === undefined || text === "") {
    throw new Refusal("api_key_missing", "Send your API key in the X-API-Key header.");
  }
  // Whether a text is a key at all is public knowledge; whether a key exists takes the same look-up either way.
  if (!isWellFormedKey(text)) throw keyInvalid();
  const key = await keys.byHash(hashOf(text));
  if (key === undefined || (key.expiresAt !== null && key.expiresAt.getTime() <= Date.now()))
    throw keyInvalid();
  return key;
}

function refuseWhereNotAllowed(key: KnownKey, address: string): void {
  if (!key.tenantActive) {
    throw new Refusal("tenant_inactive", "The tenant is suspended: the operator can reactivate it.");
  }
  if (key.ipAllowlist.length > 0 && !isWithin(address, key.ipAllowlist)) {
    throw new Refusal("ip_not_allowed", "Call from an address on the key's allowlist, or use another key.");
  }
}

function refuseBeyondScope(key: KnownKey, access: Scope | undefined): void {
  if (access === undefined) throw new Error("a route under /v1 names neither a scope nor that it is public");
  if (key.scopes.has(access)) return;
  throw new Refusal("insufficient_scope", `Use a key with the scope ${access}.`, {
    context: { requiredScope: access },
  });
}
