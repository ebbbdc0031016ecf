import type { IncomingHttpHeaders } from "node:http";
import { RouteConfig } from "@nestjs/platform-fastify";
import type { FastifyRequest } from "fastify";
import type { KnownSession } from "../auth/domain/caller.ts";

/**
 * Declares a route under `/auth` that needs a session, and takes no API key. With `forEveryPerson` it is also open to
 * a person without a role, and to one who has yet to change the password that somebody else has set; with
 * `forSuspendedTenants` also to people of a suspended tenant.
 */
export function SessionRoute({ forEveryPerson = false, forSuspendedTenants = false } = {}): MethodDecorator {
  return RouteConfig({ access: "session", forEveryPerson, forSuspendedTenants });
}

/** The session of a `@SessionRoute`. */
export function sessionOfRoute({ session }: FastifyRequest): KnownSession {
  if (session === null) throw new Error("a route that needs a session was reached without one");
  return session;
}

const loopback = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const ownNames = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Headers that proxies add. */
const forwarding = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/**
 * Returns whether the request comes from this machine and names it as its host. A page elsewhere can't send that. A
 * request that a proxy forwarded does not count, because a proxy on this machine forwards for callers elsewhere.
 */
export function isFromThisMachine(request: {
  readonly ip: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}): boolean {
  const { ip, socket, headers } = request;
  const isDirect = forwarding.every((name) => headers[name] === undefined);
  const isLocal = loopback.test(ip) && loopback.test(socket.remoteAddress ?? "");
  return isDirect && isLocal && ownNames.test(headers.host ?? "");
}
