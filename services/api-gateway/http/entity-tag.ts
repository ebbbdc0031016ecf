import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Sets the `ETag` of the resource's version, which `If-Match` takes (RFC 9110, 8.8.3). */
export function setEntityTag(reply: FastifyReply, version: number): void {
  reply.header("etag", `"${String(version)}"`);
}

/**
 * The versions that `If-Match` lists (RFC 9110, 13.1.1); undefined without the header and for `*`, which matches any
 * version. Tags that are not strong tags of ours match no version.
 */
export function ifMatchVersions(request: FastifyRequest): number[] | undefined {
  const header = request.headers["if-match"];
  if (header === undefined || header.trim() === "*") return undefined;
  return [...header.matchAll(/(?<=^|[\s,])"([1-9]\d{0,8})"(?=$|[\s,])/g)].map(([, version]) =>
    Number(version),
  );
}

/** The `ETag` of a text. It is weak (RFC 9110, 8.8.1), because the same text is also sent compressed. */
export function entityTagOf(text: string): string {
  return `W/"${createHash("sha256").update(text).digest("base64url")}"`;
}

/** True if `If-None-Match` lists the tag (RFC 9110, 13.1.2): the caller has the text already. */
export function hasEntityTag(request: Pick<FastifyRequest, "headers">, tag: string): boolean {
  const header = request.headers["if-none-match"];
  if (header === undefined) return false;
  const opaque = (one: string) => one.trim().replace(/^W\//, "");
  return header.trim() === "*" || header.split(",").map(opaque).includes(opaque(tag));
}
