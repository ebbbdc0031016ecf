import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "../observability/metrics.ts";
import type { Readiness } from "./readiness.ts";

export interface Operations {
  /** `http://host:port` of health and metrics. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Health and metrics on a port of their own, for a service whose own port tenants reach. They go on answering while
 * the service ends, for that is when an orchestrator asks.
 */
export async function startOperations(
  at: { readonly port: number; readonly host: string },
  readiness: Readiness,
  metrics: Metrics,
): Promise<Operations> {
  const answers: Readonly<Record<string, (response: ServerResponse) => Promise<void> | void>> = {
    "/healthz": (response) => json(response, 200, { status: "alive" }),
    "/readyz": async (response) => {
      const missing = await readiness.missing();
      if (missing.length > 0) json(response, 503, { status: "not ready", missing });
      else json(response, 200, { status: "ready" });
    },
    "/metrics": async (response) => {
      const text = await metrics.registry.metrics();
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[(request.url ?? "").split("?", 1)[0] ?? ""];
    if (answer === undefined) json(response, 404, { status: "not found", paths: Object.keys(answers) });
    else void Promise.resolve(answer(response)).catch((error: unknown) => response.destroy(error as Error));
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

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
