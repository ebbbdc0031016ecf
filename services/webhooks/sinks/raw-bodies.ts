import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import { largestBodyBytes } from "./store/test-sinks.ts";

/**
 * Takes every body as bytes, whatever its type says and whether or not it is what it says. The sinks are this
 * service's only routes with a body, and a sink that refused malformed JSON would hide from its owner just what went
 * wrong. A body that is too large to be shown again is answered with 413.
 */
export function takeRawBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  // Fastify's own parsers for JSON and text go before a catch-all one.
  fastify.removeAllContentTypeParsers();
  app.useBodyParser("*", { bodyLimit: largestBodyBytes }, (_request, body, done) => {
    done(null, body);
  });
}
