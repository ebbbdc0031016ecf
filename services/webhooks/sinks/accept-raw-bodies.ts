import { Catch } from "@nestjs/common";
import { BaseExceptionFilter } from "@nestjs/core";
import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import type { FastifyReply, FastifyRequest } from "fastify";
import { maxBodyBytes } from "./store/sink-requests.ts";

/**
 * A caller that goes away, or sends no HTTP, before its body has ended gets no answer, and no error is logged: anybody
 * who knows the port can do so, and nothing of ours has failed.
 */
@Catch()
class IgnoreAborted extends BaseExceptionFilter {
  override handleUnknownError(...args: Parameters<BaseExceptionFilter["handleUnknownError"]>): void {
    const [error, host] = args;
    const http = host.switchToHttp();
    const isAborted = error instanceof Error && "code" in error && error.code === "ECONNRESET";
    if (!isAborted || http.getRequest<FastifyRequest>().raw.complete)
      return super.handleUnknownError(...args);
    void http.getResponse<FastifyReply>().code(400).send();
  }
}

/**
 * Accepts every body as bytes, whatever its content type, even if it is malformed. Test sinks are this service's only
 * routes with a body, and a sink that refused malformed JSON would hide the mistake that its owner is looking for.
 * A body that is too large to be listed is answered with 413.
 */
export function acceptRawBodies(app: NestFastifyApplication): void {
  app.useGlobalFilters(new IgnoreAborted(app.getHttpAdapter()));
  const fastify = app.getHttpAdapter().getInstance();
  // Fastify would prefer its own parsers for JSON and text.
  fastify.removeAllContentTypeParsers();
  app.useBodyParser("*", { bodyLimit: maxBodyBytes }, (_request, body, done) => {
    done(null, body);
  });
}
