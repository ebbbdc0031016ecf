import type { IncomingHttpHeaders } from "node:http";
import { RouteConfig } from "@nestjs/platform-fastify";
import type { FastifyRequest } from "fastify";
import type { KnownSession } from "../auth/domain/caller.ts";
import type { From } from "./store/audit.ts";

/** Declares a route under `/auth` that needs a session, and takes no API key. */
export function SessionRoute(): MethodDecorator {
  return RouteConfig({ access: "session" });
}

/** The session of a `@SessionRoute`. */
export function sessionOfRoute({ session }: FastifyRequest): KnownSession {
  if (session === null) throw new Error("a route that needs a session was reached without one");
  return session;
}

/** From where a request comes, for the audit log. */
export function fromOf({ ip, id, headers }: Pick<FastifyRequest, "ip" | "id" | "headers">): From {
  return { address: ip, requestId: id, userAgent: headers["user-agent"] ?? null };
}

const loopback = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const ownNames = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Returns whether the request comes from this machine and names it as its host. A page elsewhere can't send that. */
export function isFromThisMachine(request: {
  readonly ip: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}): boolean {
  const { ip, socket, headers } = request;
  return loopback.test(ip) && loopback.test(socket.remoteAddress ?? "") && ownNames.test(headers.host ?? "");
}
