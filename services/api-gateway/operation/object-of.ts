import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * The `id` in the path, which is the outer object if there are two (the counterparty of a proposed change); of what is
 * created, the id in the answer's `Location`.
 */
export function objectOf({ params }: FastifyRequest, reply: FastifyReply): string | null {
  const named: unknown = typeof params === "object" && params !== null ? Reflect.get(params, "id") : null;
  if (typeof named === "string") return named;
  const location = reply.getHeader("location");
  return typeof location === "string" ? (location.split("/").at(-1) ?? null) : null;
}
