import type { FastifyReply, FastifyRequest } from "fastify";
import { type ApiVersion, apiVersions } from "../../../contracts/http/versions.ts";
import type { Deprecation } from "../config.ts";

/** The version that a route's path stands under; undefined for health, metrics and pages for people. */
export function versionOf(path: string): ApiVersion | undefined {
  return apiVersions.find((version) => path.startsWith(`/${version}/`));
}

/** One more link of an answer: a page's next, a deprecation's guide. */
export function addLink(reply: FastifyReply, link: string): void {
  const others = reply.getHeader("link");
  reply.header("link", others === undefined ? link : `${String(others)}, ${link}`);
}

/**
 * Tells the callers of what is deprecated, in every answer: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link`
 * to the migration guide.
 *
 * @param deprecations by version or by operation's id; the operation's own goes first
 */
export function deprecationHeaders(deprecations: Readonly<Record<string, Deprecation>>) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { url = "", config } = request.routeOptions;
    const deprecation = deprecations[config.operation ?? ""] ?? deprecations[versionOf(url) ?? ""];
    if (deprecation !== undefined) setHeaders(reply, deprecation);
    done();
  };
}

function setHeaders(reply: FastifyReply, { since, sunset, guide }: Deprecation): void {
  reply.header("deprecation", `@${String(new Date(since).getTime() / 1_000)}`);
  if (sunset !== undefined) reply.header("sunset", new Date(sunset).toUTCString());
  addLink(reply, `<${guide}>; rel="deprecation"; type="text/html"`);
}

/** Whether an operation of a version is deprecated: for its document. */
export function isDeprecated(
  deprecations: Readonly<Record<string, Deprecation>>,
  version: ApiVersion,
  operationId: string,
): boolean {
  return operationId in deprecations || version in deprecations;
}
