import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import { maxBodyBytes } from "./store/sink-requests.ts";

/**
 * Accepts every body as bytes, whatever its content type, even if it is malformed. Test sinks are this service's only
 * routes with a body, and a sink that refused malformed JSON would hide the mistake that its owner is looking for.
 * A body that is too large to be listed is answered with 413.
 */
export function acceptRawBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  // Fastify would prefer its own parsers for JSON and text.
  fastify.removeAllContentTypeParsers();
  app.useBodyParser("*", { bodyLimit: maxBodyBytes }, (_request, body, done) => {
    done(null, body);
  });
}
