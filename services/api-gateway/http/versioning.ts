import type { FastifyReply, FastifyRequest } from "fastify";
import { type ApiVersion, apiVersions } from "../../../contracts/http/versions.ts";
import type { Deprecation } from "../config.ts";

/** The version in a route's path; undefined for pages for people, and for a path without a route. */
export function versionOf(path: string): ApiVersion | undefined {
  return apiVersions.find((version) => path.startsWith(`/${version}/`));
}

/** Adds a link to the answer, such as the next page or a migration guide. */
export function addLink(reply: FastifyReply, link: string): void {
  const others = reply.getHeader("link");
  reply.header("link", others === undefined ? link : `${String(others)}, ${link}`);
}

/**
 * Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the migration guide to every answer of a
 * deprecated operation.
 *
 * @param deprecations by version or operation id; an operation's own entry takes precedence
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

/** Whether an operation of a version is deprecated, for its OpenAPI document. */
export function isDeprecated(
  deprecations: Readonly<Record<string, Deprecation>>,
  version: ApiVersion,
  operationId: string,
): boolean {
  return operationId in deprecations || version in deprecations;
}
