import type { FastifyRequest } from "fastify";
import { addressOf } from "../auth/domain/address-blocks.ts";
import type { AuditSource } from "./store/audit.ts";

/** Where a request comes from, for the audit log. */
export function auditSourceOf(
  request: Pick<FastifyRequest, "ip" | "socket" | "id" | "headers">,
): AuditSource {
  const { id, headers } = request;
  return { address: addressOf(request), requestId: id, userAgent: headers["user-agent"] ?? null };
}
