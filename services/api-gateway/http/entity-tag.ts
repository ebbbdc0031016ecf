import type { FastifyReply, FastifyRequest } from "fastify";

/** Says which version of a resource the answer shows: what `If-Match` takes (RFC 9110, 8.8.3). */
export function setEntityTag(reply: FastifyReply, version: number): void {
  reply.header("etag", `"${String(version)}"`);
}

/**
 * The versions that `If-Match` names (RFC 9110, 13.1.1); undefined without the header and for `*`, which any version
 * matches. What is no strong tag of ours names no version, so that it matches none.
 */
export function ifMatchVersions(request: FastifyRequest): number[] | undefined {
  const header = request.headers["if-match"];
  if (header === undefined || header.trim() === "*") return undefined;
  return [...header.matchAll(/(?<=^|[\s,])"([1-9]\d{0,8})"(?=$|[\s,])/g)].map(([, version]) =>
    Number(version),
  );
}
