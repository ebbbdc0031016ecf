import { afterAll, beforeAll, expect, it } from "vitest";
import { Metrics } from "../observability/metrics.ts";
import { type Operations, startOperations } from "./operations.ts";
import type { Readiness } from "./readiness.ts";

let missing: string[] = [];
let operations: Operations;
beforeAll(async () => {
  const readiness = { missing: () => Promise.resolve(missing) } as unknown as Readiness;
  operations = await startOperations({ port: 0, host: "127.0.0.1" }, readiness, new Metrics("test"));
});
afterAll(() => operations.close());

const told = async (path: string) => {
  const response = await fetch(operations.url + path);
  return { status: response.status, body: (await response.json()) as unknown };
};

it("says that the process lives, whatever is missing", async () => {
  missing = ["database"];
  expect(await told("/healthz")).toEqual({ status: 200, body: { status: "alive" } });
});

it("says whether work may come, and what is missing", async () => {
  missing = ["database", "nats"];
  expect(await told("/readyz")).toEqual({
    status: 503,
    body: { status: "not ready", missing: ["database", "nats"] },
  });
  missing = [];
  expect(await told("/readyz")).toEqual({ status: 200, body: { status: "ready" } });
});

it("has nothing else, and says what there is", async () => {
  expect(await told("/")).toEqual({
    status: 404,
    body: { status: "not found", paths: ["/healthz", "/readyz", "/metrics"] },
  });
});
