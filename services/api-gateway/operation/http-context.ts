import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { Caller } from "../../../contracts/message.ts";
import { type ApiVersion, currentVersion } from "../../../contracts/http/versions.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import { addLink, versionOf } from "../http/versioning.ts";

/** The HTTP request and reply, given to a route's method beside body and parameters. */
export class HttpContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.request = request;
    this.reply = reply;
  }

  /** Who calls, with what they may do. */
  get known(): KnownCaller {
    const { caller } = this.request;
    if (caller === null) throw new Error("a route that needs a caller was reached without one");
    return caller;
  }

  /** Who calls, as the other services learn it. */
  get caller(): Caller {
    const { known } = this;
    return {
      book: known.book,
      tenant: known.tenant,
      mode: known.mode,
      principal: known.principal,
      requestId: this.request.id,
    };
  }

  /** The version of the API that was called. */
  get version(): ApiVersion {
    return versionOf(this.request.routeOptions.url ?? "") ?? currentVersion;
  }

  /** Sets `Location` to the created resource, in the version that was called. `path` begins with `/v1/`. */
  setLocation(path: string): void {
    this.reply.header("location", path.replace(/^\/v1\//, `/${this.version}/`));
  }

  /** Sets `Link` to the next page: this request's URL with the page's cursor (RFC 8288). */
  linkTo(page: Page<unknown>): void {
    if (page.nextCursor === null) return;
    // Only path and query are sent, because we don't know which host the client called.
    const next = new URL(this.request.url, "http://gateway.invalid");
    next.searchParams.set("cursor", page.nextCursor);
    addLink(this.reply, `<${next.pathname}${next.search}>; rel="next"`);
  }
}

/** Passes the `HttpContext` to a route's method. */
export const Http = createParamDecorator(
  (_nothing: unknown, context: ExecutionContext) =>
    new HttpContext(
      context.switchToHttp().getRequest<FastifyRequest>(),
      context.switchToHttp().getResponse<FastifyReply>(),
    ),
);
