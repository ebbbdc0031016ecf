import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../../../test/stack/gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it("serves the OpenAPI document without a key", async () => {
  const answer = await gateway.call("GET", "/v1/openapi.json");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(answer.body).toMatchObject({ openapi: "3.1.0", info: { title: "Quittance", version: "v1" } });
});
