import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { weightsOf } from "./domain/weights.ts";

/** One resource is smaller: compressing it would cost more time than its bytes. */
const minBytes = 2_048;

/** Runs beside the event loop, on the thread pool. */
export const gzip = promisify(gzipWithCallback);

/** True if the caller takes gzip (RFC 9110, 12.5.3). */
export function takesGzip(header: string | string[] | undefined): boolean {
  const weights = weightsOf(header);
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

/**
 * Compresses the answers to reads. Answers to writes stay as they are: they are small, and some of them show a secret
 * beside what the caller sent, whose length a compressed answer would give away.
 */
export async function compressReads(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (request.method !== "GET" || typeof payload !== "string") return payload;
  if (Buffer.byteLength(payload) < minBytes) return payload;
  // A statement's answer varies with `Accept`, too.
  reply.header("vary", [reply.getHeader("vary") ?? [], "accept-encoding"].flat().join(", "));
  if (!takesGzip(request.headers["accept-encoding"])) return payload;
  const compressed = await gzip(payload);
  reply.header("content-encoding", "gzip");
  return compressed;
}
