import type { FastifyRequest } from "fastify";
import { addressOf } from "../auth/domain/address-blocks.ts";
import type { From } from "./store/audit.ts";

/** Where a request comes from, for the audit log. */
export function fromOf(request: Pick<FastifyRequest, "ip" | "socket" | "id" | "headers">): From {
  const { id, headers } = request;
  return { address: addressOf(request), requestId: id, userAgent: headers["user-agent"] ?? null };
}
