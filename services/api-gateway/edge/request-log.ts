import type { FastifyRequest } from "fastify";

/** Adds members to the one line that the log will have of this request. Never what a caller sent: only what we know. */
export function sayInLog(request: FastifyRequest, members: Readonly<Record<string, string>>): void {
  const raw = request.raw as { said?: Readonly<Record<string, string>> };
  raw.said = { ...raw.said, ...members };
}
