import { expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

interface Answer {
  readonly $ref?: string;
  readonly headers?: object;
}
interface Document {
  readonly paths: Record<string, Record<string, { operationId: string; responses: Record<string, Answer> }>>;
  readonly components: { readonly responses: Record<string, Answer> };
}

const gateway = await forThisFile(startGateway());

it("serves the OpenAPI document without a key", async () => {
  const answer = await gateway.call("GET", "/v1/openapi.json");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(answer.body).toMatchObject({ openapi: "3.1.0", info: { title: "Quittance", version: "v1" } });
});

it("declares X-Request-Id and Retry-After of refusals", async () => {
  const { paths, components } = (await gateway.call("GET", "/v1/openapi.json")).body as unknown as Document;
  const refusals = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) => ({ at: `${operationId} ${status}`, status, response })),
    );
  expect(refusals.length).toBeGreaterThan(1_000);
  for (const { at, status, response } of refusals) {
    const { headers } = components.responses[String(response.$ref).split("/").at(-1)!] ?? response;
    const declared =
      status === "429" || status === "503" ? ["X-Request-Id", "Retry-After"] : ["X-Request-Id"];
    expect(Object.keys(headers ?? {}), at).toEqual(expect.arrayContaining(declared));
  }
});
