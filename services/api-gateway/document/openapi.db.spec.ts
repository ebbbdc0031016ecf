import { expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());

it("serves the OpenAPI document without a key", async () => {
  const answer = await gateway.call("GET", "/v1/openapi.json");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(answer.body).toMatchObject({ openapi: "3.1.0", info: { title: "Quittance", version: "v1" } });
});
