import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import type { Logger } from "pino";
import type { Metrics } from "../observability/metrics.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Members that the service adds to the request's log line: its caller and its refusal. */
    logFields: Readonly<Record<string, string>> | null;
  }
}

const probes: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/**
 * Counts the requests, and logs one line per request, without headers and query: a caller can put a key or an account
 * number into either, and redaction only knows the names that we thought of.
 */
export function logRequests(app: NestFastifyApplication, log: Logger, metrics: Metrics): void {
  const counter = metrics.counter("http_requests_total", "HTTP requests answered", ["status"]);
  const byClass = statusClasses.map((status) => counter.labels({ status }));
  // From 0, else an alert on growth would miss the first one of a process.
  for (const requests of byClass) requests.inc(0);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.decorateRequest("logFields", null);
  fastify.addHook("onResponse", (request, reply, done) => {
    const url = request.url.split("?", 1)[0] ?? "";
    if (!probes.has(url)) {
      byClass[Math.floor(reply.statusCode / 100) - 1]?.inc();
      log.info(
        {
          ...request.logFields,
          req: { id: request.id, method: request.method, url },
          res: { statusCode: reply.statusCode },
          // What it created: so the request of an order can be found by the order's id.
          location: reply.getHeader("location"),
          responseTime: Math.round(reply.elapsedTime * 10) / 10,
        },
        "request",
      );
    }
    done();
  });
}
