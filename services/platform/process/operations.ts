import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../observability/metrics.ts";
import type { Readiness } from "./readiness.ts";

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}
/** The endpoints for the orchestrator and Prometheus, by path. */
export type OperationsEndpoints = Readonly<Record<string, () => Answer | Promise<Answer>>>;

export interface OperationsServer {
  /** `http://host:port` of health and metrics. */
  readonly url: string;
  close(): Promise<void>;
}

/** Liveness is the event loop only; readiness is the service's own database, NATS and its part of the streams. */
export function operationsEndpoints(readiness: Readiness, metrics: Metrics): OperationsEndpoints {
  return {
    "/healthz": () => json(200, { status: "alive" }),
    "/readyz": async () => {
      const missing = await readiness.missing();
      return missing.length > 0
        ? json(503, { status: "not ready", missing })
        : json(200, { status: "ready" });
    },
    "/metrics": async () => ({
      status: 200,
      contentType: "text/plain; version=0.0.4; charset=utf-8",
      body: await metrics.registry.metrics(),
    }),
  };
}

/** Serves the endpoints beside the service's own routes. */
export function mountOperations(fastify: FastifyInstance, endpoints: OperationsEndpoints): void {
  for (const [path, answer] of Object.entries(endpoints)) {
    fastify.get(path, async (_request, reply) => {
      const { status, contentType, body } = await answer();
      return reply.status(status).header("content-type", contentType).send(body);
    });
  }
}

/**
 * Serves the endpoints on a port of their own, for a service whose port tenants reach. They are still served while the
 * service shuts down, because that is when an orchestrator asks.
 */
export async function startOperations(
  at: { readonly port: number; readonly host: string },
  endpoints: OperationsEndpoints,
): Promise<OperationsServer> {
  const notFound = () => json(404, { status: "not found", paths: Object.keys(endpoints) });
  const server = createServer((request, response) => {
    const answer = endpoints[(request.url ?? "").split("?", 1)[0] ?? ""] ?? notFound;
    Promise.resolve(answer()).then(
      ({ status, contentType, body }) => {
        response.writeHead(status, { "content-type": contentType }).end(body);
      },
      (error: unknown) => response.destroy(error as Error),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(at.port, at.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${at.host.includes(":") ? `[${at.host}]` : at.host}:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function json(status: number, body: object): Answer {
  return { status, contentType: "application/json", body: JSON.stringify(body) };
}
