import type { FastifyRequest } from "fastify";
import type { From } from "./store/audit.ts";

/** Where a request comes from, for the audit log. */
export function fromOf({ ip, id, headers }: Pick<FastifyRequest, "ip" | "id" | "headers">): From {
  return { address: ip, requestId: id, userAgent: headers["user-agent"] ?? null };
}
