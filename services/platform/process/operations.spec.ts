import { FastifyAdapter } from "@nestjs/platform-fastify";
import { afterAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { Metrics } from "../observability/metrics.ts";
import { mountOperations, operationsEndpoints, startOperations } from "./operations.ts";
import type { Readiness } from "./readiness.ts";

let missing: string[] = [];
const readiness = { missing: () => Promise.resolve(missing) } as unknown as Readiness;
const endpoints = operationsEndpoints(readiness, new Metrics("test"));
const beside = new FastifyAdapter().getInstance();
afterAll(() => beside.close());
const alone = await forThisFile(startOperations({ port: 0, host: "127.0.0.1" }, endpoints));
mountOperations(beside, endpoints);
const urls: Record<string, string> = {
  alone: alone.url,
  beside: await beside.listen({ port: 0, host: "127.0.0.1" }),
};

const get = async (url: string, path: string) => {
  const response = await fetch(url + path);
  return { status: response.status, body: (await response.json()) as unknown };
};

describe.each(["alone", "beside"])("health and metrics, served %s", (where) => {
  it("reports that the process is alive, even when the database or NATS is missing", async () => {
    missing = ["database"];
    expect(await get(urls[where] ?? "", "/healthz")).toEqual({ status: 200, body: { status: "alive" } });
  });

  it("reports whether the service is ready, and the names of what is missing", async () => {
    missing = ["database", "nats"];
    expect(await get(urls[where] ?? "", "/readyz")).toEqual({
      status: 503,
      body: { status: "not ready", missing: ["database", "nats"] },
    });
    missing = [];
    expect(await get(urls[where] ?? "", "/readyz")).toEqual({ status: 200, body: { status: "ready" } });
  });

  it("serves metrics as Prometheus reads them", async () => {
    const response = await fetch(`${urls[where] ?? ""}/metrics`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await response.text()).toContain('process_cpu_seconds_total{service="test"}');
  });
});

it("answers any other path with the list of its paths", async () => {
  expect(await get(alone.url, "/")).toEqual({
    status: 404,
    body: { status: "not found", paths: ["/healthz", "/readyz", "/metrics"] },
  });
});
