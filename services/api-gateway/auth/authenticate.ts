import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import type { AuditAction } from "../../../contracts/http/audit-actions.ts";
import type { Scope } from "../../../contracts/http/scopes.ts";
import { bookIdOf } from "../../../contracts/ids/ids.ts";
import type { KnownCaller, KnownSession } from "./domain/caller.ts";
import { type CallerOfKey, callerOfKey } from "./caller-of-key.ts";
import {
  callerOfSession,
  keepsSessionAlive,
  modeHeader,
  modeNamed,
  ownPasswordRequired,
  sessionEnded,
  sessionOf,
  type SessionSettings,
} from "./caller-of-session.ts";
import { addressOf, callerAddress, isWithin } from "./domain/address-blocks.ts";
import type { KeyUsage, SessionUsage } from "./key-usage.worker.ts";
import type { KeyCache, SessionCache } from "./key-cache.ts";
import { type ConcurrencyLimit, tooManyUnderWay } from "../../platform/rpc/concurrency-limit.ts";
import { costOfBody, type RateLimitKey, rateLimitKeyOf, type RateLimits } from "./rate-limit.ts";
import type { VersionCounts } from "./version-counts.worker.ts";
import { waitSecondsOf } from "../http/prefer.ts";
import { versionOf } from "../http/versioning.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls; null on public routes, and on a session's own routes if the request names no mode. */
    caller: KnownCaller | null;
    /** Who calls, as soon as that is known: also if the request is refused before it has a `caller`. */
    identified: KnownCaller | null;
    /** The session that the request came with; null for an API key. */
    session: KnownSession | null;
  }
  interface FastifyContextConfig {
    /** The operation id. */
    operation?: string;
    /**
     * The required scope, or "public" if the route needs no caller. "session": it is about the session itself, takes no
     * API key, and need not name a mode.
     */
    access?: Scope | "any key" | "session" | "public";
    /** Lets in a caller without the scope of `access`, to decide on what another principal has proposed. */
    alternativeScope?: Scope;
    /** Simulations exist only in Test books. */
    testKeysOnly?: boolean;
    /** The route changes something, and takes an Idempotency-Key. */
    writes?: boolean;
    /** A person decides by it: its Idempotency-Key counts for this principal alone. */
    isDecision?: boolean;
    /** A session whose caller has this scope confirms the operation with a passkey. */
    confirmedFor?: Scope;
    /** Whether this body only stops something, which needs no passkey. */
    onlyStops?: (body: unknown) => boolean;
    /** The action that the audit log records of the caller once the operation is done. */
    audited?: AuditAction;
    /** The same for an answer 202: somebody else has to decide on it. */
    auditedProposal?: AuditAction;
    /** The route validates its query; without that, every parameter is unknown. */
    takesQuery?: boolean;
    /**
     * What a request without a body costs of the rate limit, and of what may be under way; 1 by default.
     */
    cost?: number;
    /** It is answered for as long as the caller stays, so it takes none of what may be under way. */
    staysOpen?: boolean;
    /** Also open to a person without a role, and to one who has yet to change the password that somebody else set. */
    forEveryPerson?: boolean;
    /** Also open to people of a suspended tenant. */
    forSuspendedTenants?: boolean;
  }
}

/** A request with `Prefer: wait` reads its order again and again: while it is under way it costs this many times. */
const costFactorOfWait = 2;

interface Guards {
  readonly keys: KeyCache;
  readonly sessions: SessionCache;
  readonly sessionSettings: SessionSettings;
  readonly limits: RateLimits;
  readonly underWay: ConcurrencyLimit<RateLimitKey>;
  readonly usage: KeyUsage;
  readonly sessionUsage: SessionUsage;
  readonly versions: VersionCounts;
}

/**
 * Authenticates and authorizes the caller before the body is read. Refusals: `api_key_missing`, `api_key_invalid`,
 * `session_ended`, `cross_site_request`, `no_role_in_mode`, `invalid_request` for a key beside a session or a session
 * without a mode, `tenant_inactive`, `ip_not_allowed`, `rate_limited`, `own_password_required`,
 * `insufficient_scope`, `simulation_requires_test_key`.
 */
export function authenticator(guards: Guards) {
  const { usage, sessionUsage, versions } = guards;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { url = "", config } = request.routeOptions;
    if (config.access === "session") return authenticateSession(request, reply, guards);
    // A path without a version is a page for people or has no route: neither has anything to protect.
    const version = versionOf(url);
    if (version === undefined || config.access === "public") return;
    const caller = await callerOf(request, guards);
    request.identified = caller;
    requireActiveTenant(caller);
    requireAllowedAddress(caller, request);
    if (caller.apiKeyId !== null) usage.record(caller.apiKeyId);
    if (caller.session !== null && keepsSessionAlive(request)) sessionUsage.record(caller.session.id);
    versions.record(caller, version);
    const limitKey = rateLimitKeyOf(caller.book, caller.session !== null);
    if (!(await admit(limitKey, request, reply, guards))) return;
    if (caller.session !== null) requireOwnPasswordToWrite(caller.session, request);
    requireScope(caller, config.access, config.alternativeScope);
    if (config.testKeysOnly === true && caller.mode !== "Test") {
      throw new Refusal(
        "simulation_requires_test_key",
        "Use a qt_test_ key: live payments can't be simulated.",
      );
    }
    setCaller(request, caller, caller.session);
  };
}

/** The caller behind a key or a session. A request with both is refused: it could mean either. */
async function callerOf(request: FastifyRequest, guards: Guards): Promise<KnownCaller> {
  const session = await sessionOf(request, guards);
  if (session !== undefined) return callerOfSession(session, modeNamed(request.headers));
  const found: CallerOfKey = await callerOfKey(request.headers, guards.keys);
  if ("caller" in found) return found.caller;
  // Invalid keys never delay a valid one: only the answer to an invalid key changes.
  await guards.limits.countFailure(addressOf(request));
  throw found.refusal;
}

/**
 * For routes that only sessions have. A request spends the limit of the people in the mode that it names; without one,
 * the limit of the people in Test.
 */
async function authenticateSession(
  request: FastifyRequest,
  reply: FastifyReply,
  guards: Guards,
): Promise<void> {
  const session = await sessionOf(request, guards);
  if (session === undefined) throw sessionEnded();
  const { forEveryPerson = false, forSuspendedTenants = false } = request.routeOptions.config;
  if (!forSuspendedTenants) requireActiveTenant(session);
  if (keepsSessionAlive(request)) guards.sessionUsage.record(session.id);
  const isModeNamed = request.headers[modeHeader] !== undefined && !forEveryPerson;
  const caller = isModeNamed ? callerOfSession(session, modeNamed(request.headers)) : null;
  const limitKey = rateLimitKeyOf(caller?.book ?? bookIdOf(session.tenant, "Test"), true);
  if (!(await admit(limitKey, request, reply, guards))) return;
  requireOwnPasswordToWrite(session, request);
  setCaller(request, caller, session);
}

/**
 * Spends the request's cost, and counts it as under way until the answer is sent. False if the caller has hung up.
 * Refusals: `rate_limited`.
 */
async function admit(
  limitKey: RateLimitKey,
  request: FastifyRequest,
  reply: FastifyReply,
  { limits, underWay }: Guards,
): Promise<boolean> {
  const cost = (request.routeOptions.config.cost ?? 1) + costOfBody(request.headers);
  await limits.spend(limitKey, cost, reply);
  // The caller has hung up: `close` was emitted already, and the request would be counted forever.
  if (request.raw.socket.destroyed) {
    reply.hijack();
    return false;
  }
  if (request.routeOptions.config.staysOpen === true) return true;
  const waits = waitSecondsOf(request.headers.prefer) !== undefined;
  const costUnderWay = waits ? cost * costFactorOfWait : cost;
  if (!underWay.enter(limitKey, costUnderWay)) throw tooManyUnderWay();
  // Also emitted when the caller goes away before its answer.
  reply.raw.once("close", () => underWay.leave(limitKey, costUnderWay));
  return true;
}

function setCaller(request: FastifyRequest, caller: KnownCaller | null, session: KnownSession | null): void {
  request.caller = caller;
  request.session = session;
  const who = caller ?? session;
  request.logFields = {
    ...(who === null ? {} : { tenant: who.tenant, principal: who.principal }),
    ...(caller === null ? {} : { mode: caller.mode }),
    ...(typeof caller?.apiKeyId !== "string" ? {} : { keyId: caller.apiKeyId }),
    ...(session === null ? {} : { sessionId: session.id }),
  };
}

function requireActiveTenant({ tenantActive }: Pick<KnownCaller, "tenantActive">): void {
  if (tenantActive) return;
  throw new Refusal("tenant_inactive", "The tenant is suspended: the operator can reactivate it.");
}

function requireAllowedAddress({ ipAllowlist }: KnownCaller, request: FastifyRequest): void {
  // Most keys have no allowlist, and reading the address parses headers.
  if (ipAllowlist.length === 0) return;
  const address = callerAddress(request);
  if (address === undefined || !isWithin(address, ipAllowlist)) {
    throw new Refusal("ip_not_allowed", "Call from an address on the key's allowlist, or use another key.");
  }
}

/**
 * Whoever has set a person's password knows it, and could act as them: until the person sets another, the session can
 * only read (docs/adr/0038). Refusals: `own_password_required`.
 */
function requireOwnPasswordToWrite(
  { hasGivenPassword }: KnownSession,
  { method, routeOptions: { config } }: FastifyRequest,
): void {
  if (!hasGivenPassword || config.forEveryPerson === true) return;
  const isRead = config.access === "session" ? method === "GET" || method === "HEAD" : config.writes !== true;
  if (!isRead) throw ownPasswordRequired();
}

/** Refusals: `insufficient_scope`. */
export function requireScope(
  { scopes, session }: KnownCaller,
  access: Scope | "any key" | undefined,
  alternative?: Scope,
): void {
  if (access === undefined) throw new Error("a route under /v1 does not say which access it needs");
  if (access === "any key" || scopes.has(access)) return;
  if (alternative !== undefined && scopes.has(alternative)) return;
  const detail =
    session === null
      ? `Use a key with the scope ${access}.`
      : `Ask an admin for a role with the scope ${access}: none of yours has it.`;
  throw new Refusal("insufficient_scope", detail, { context: { requiredScope: access } });
}
