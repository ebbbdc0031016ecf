import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import { scopesOfRoles } from "../../../contracts/http/roles.ts";
import { bookIdOf, type Mode } from "../../../contracts/ids/ids.ts";
import { addressOf } from "./domain/address-blocks.ts";
import type { KnownCaller, KnownSession } from "./domain/caller.ts";
import type { SessionCache } from "./key-cache.ts";
import type { RateLimits } from "./rate-limit.ts";
import { requireOwnPage } from "./same-origin.ts";
import { hashOfToken, tokenOf } from "./session-cookie.ts";

const minuteMs = 60_000;

export interface SessionSettings {
  /** How long a session may rest before it ends. */
  readonly idleMinutes: number;
  /** The origin of our own page; undefined: the host that a request names. */
  readonly ownOrigin: string | undefined;
}

interface Guards {
  readonly sessions: SessionCache;
  readonly sessionSettings: SessionSettings;
  readonly limits: RateLimits;
}

/** The header by which a session names the book that a request is about. */
export const modeHeader = "quittance-mode";

/** The same text for every cookie without a session: unknown, ended, expired or malformed. */
export function sessionEnded(): Refusal {
  return new Refusal("session_ended", "Sign in again.");
}

/** For a session that began with a password that somebody else has set. */
export function ownPasswordRequired(): Refusal {
  return new Refusal(
    "own_password_required",
    "Change your password first (POST /auth/password): somebody else has set it, and knows it. Until then you can only read.",
  );
}

/**
 * The session of the request's cookie; undefined without a cookie. Refusals: `invalid_request` for a cookie beside a
 * key; `cross_site_request` and `unsupported_media_type` for one that another page sent; `session_ended`;
 * `rate_limited` for a malformed cookie from an address with too many failures.
 */
export async function sessionOf(
  request: Pick<FastifyRequest, "headers" | "method" | "ip" | "socket">,
  { sessions, sessionSettings: { idleMinutes, ownOrigin }, limits }: Guards,
): Promise<KnownSession | undefined> {
  const { headers } = request;
  const token = tokenOf(headers.cookie);
  if (token === undefined) return undefined;
  if (headers["x-api-key"] !== undefined) {
    throw new Refusal("invalid_request", "Send an API key or the session's cookie, not both.");
  }
  requireOwnPage(request, ownOrigin);
  const session = token === null ? undefined : await sessions.byHash(hashOfToken(token));
  if (session !== undefined && !isOver(session, idleMinutes)) return session;
  // Nobody guesses 256 random bits: a cookie of the right form has ended, and its page leads to the sign-in.
  if (token === null) await limits.countFailure(addressOf(request));
  throw sessionEnded();
}

/** Whether a session has reached its end, or has rested for too long. */
export function isOver({ endsAt, lastUsedAt }: KnownSession, idleMinutes: number): boolean {
  const now = Date.now();
  // The stored use is cut to its minute, and saved some seconds later.
  return endsAt.getTime() <= now || lastUsedAt.getTime() + (idleMinutes + 1) * minuteMs <= now;
}

/**
 * Whether a request keeps its session alive. One with `Quittance-Unattended: true` does not: a page sends this header
 * with its reads and previews while nobody uses it.
 */
export function keepsSessionAlive({ headers }: Pick<FastifyRequest, "headers">): boolean {
  return headers["quittance-unattended"] !== "true";
}

/** Refusals: `invalid_request` without the header or for another value. */
export function modeNamed({ [modeHeader]: named }: IncomingHttpHeaders): Mode {
  if (named === "Test" || named === "Live") return named;
  throw new Refusal("invalid_request", "Send the header Quittance-Mode: Test or Quittance-Mode: Live.");
}

/** The person's principal in one book. Refusals: `no_role_in_mode`. */
export function callerOfSession(session: KnownSession, mode: Mode): KnownCaller {
  const roles = session.roles[mode];
  if (roles.length === 0) {
    throw new Refusal("no_role_in_mode", `Ask an admin for a role in ${mode}: you have none there.`);
  }
  return {
    tenant: session.tenant,
    tenantActive: session.tenantActive,
    mode,
    book: bookIdOf(session.tenant, mode),
    principal: session.principal,
    scopes: scopesOfRoles(roles, mode),
    ipAllowlist: [],
    expiresAt: null,
    apiKeyId: null,
    session,
  };
}
