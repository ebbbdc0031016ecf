import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import type { Logger } from "pino";

declare module "fastify" {
  interface FastifyRequest {
    /** What the service wants said of the request in its one line: who called, which refusal it got. */
    said: Readonly<Record<string, string>> | null;
  }
}

const probes: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * One line per request. No headers and no query: a caller can put a key or an account number into either, and a
 * redaction only knows the names that we thought of.
 */
export function logRequests(app: NestFastifyApplication, log: Logger): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.decorateRequest("said", null);
  fastify.addHook("onResponse", (request, reply, done) => {
    const url = request.url.split("?", 1)[0] ?? "";
    if (!probes.has(url)) {
      log.info(
        {
          ...request.said,
          req: { id: request.id, method: request.method, url },
          res: { statusCode: reply.statusCode },
          responseTime: Math.round(reply.elapsedTime * 10) / 10,
        },
        "request",
      );
    }
    done();
  });
}
