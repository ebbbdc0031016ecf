import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scopes } from "../../../contracts/http/scopes.ts";
import { startGateway, type TestGateway } from "../../../test/stack/gateway.ts";

interface Operation {
  operationId: string;
  description?: string;
  security?: { ApiKey: [] }[];
  requestBody?: { required: boolean; content: Record<string, { schema: { $ref?: string } }> };
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: Record<
    string,
    { description: string; content: Record<string, { schema: object }>; headers?: object }
  >;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: object };
}

let gateway: TestGateway;
let document: Document;
beforeAll(async () => {
  gateway = await startGateway();
  const answer = await gateway.call("GET", "/v1/openapi.json");
  document = answer.body as unknown as Document;
});
afterAll(() => gateway.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
const operation = (id: string) => operations().find((each) => each.operation.operationId === id)!.operation;

describe("the OpenAPI document", () => {
  it("is 3.1, needs no key and has every route of this version", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      "GET /v1/balances",
      "GET /v1/ledger-accounts",
      "GET /v1/ledger-accounts/{id}",
      "GET /v1/ledger-accounts/{id}/entries",
      "GET /v1/openapi.json",
      "GET /v1/payment-orders",
      "GET /v1/payment-orders/{id}",
      "GET /v1/test-sinks/{id}/requests",
      "GET /v1/webhook-endpoints",
      "GET /v1/webhook-endpoints/{id}",
      "GET /v1/webhooks",
      "GET /v1/webhooks/{id}",
      "PATCH /v1/payment-orders/{id}",
      "POST /v1/ledger-accounts",
      "POST /v1/payment-orders",
      "POST /v1/payment-orders/{id}/approve",
      "POST /v1/payment-orders/{id}/cancel",
      "POST /v1/payment-orders/{id}/deny",
      "POST /v1/payment-orders/{id}/submit",
      "POST /v1/simulations/payment-orders/{id}/{action}",
      "POST /v1/test-sinks",
      "POST /v1/webhook-endpoints",
      "POST /v1/webhooks/{id}/retry",
    ]);
  });

  it("says of every operation but one that it needs a key, and which scope", () => {
    for (const { name, operation: each } of operations()) {
      if (name === "GET /v1/openapi.json") continue;
      expect(each.security, name).toEqual([{ ApiKey: [] }]);
      expect(
        scopes.some((scope) => each.description?.includes(`\`${scope}\``)),
        name,
      ).toBe(true);
    }
  });

  it("names its operations apart", () => {
    const ids = operations().map((each) => each.operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("describes every answer, and every refusal as a problem", () => {
    for (const { name, operation: each } of operations()) {
      for (const [status, response] of Object.entries(each.responses)) {
        const type = Number(status) < 300 ? "application/json" : "application/problem+json";
        expect(response.content[type]?.schema, `${name} ${status}`).toBeDefined();
      }
    }
  });

  it("points at nothing that isn't there", () => {
    const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? [];
    const names = new Set(
      references.map((reference) => reference.slice(8, -1).replace("#/components/schemas/", "")),
    );
    expect([...names].filter((name) => !(name in document.components.schemas))).toEqual([]);
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect(schema, name).toMatchObject({ type: "object" });
    expect([...names].sort()).toEqual(
      expect.arrayContaining(["PaymentOrder", "PaymentOrderCreate", "Problem"]),
    );
  });

  it("gives the body as it is validated", () => {
    const create = operation("createPaymentOrder");
    expect(create.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/PaymentOrderCreate",
    });
    expect(document.components.schemas.PaymentOrderCreate).toMatchObject({
      type: "object",
      additionalProperties: false,
      required: ["direction", "rail", "amountCents"],
      properties: {
        amountCents: { type: "integer", minimum: 1, maximum: 999_999_999_999 },
        rail: { type: "string", enum: ["Ach", "SameDayAch", "Rtp", "Wire", "Book", "Usdc"] },
      },
    });
  });

  it("says where a body may be left out", () => {
    expect(operation("createPaymentOrder").requestBody).toMatchObject({ required: true });
    expect(operation("cancelPaymentOrder").requestBody).toMatchObject({ required: false });
    expect(operation("simulatePaymentOrder").requestBody).toMatchObject({ required: false });
  });

  it("lets answers grow, and bodies not", () => {
    expect(document.components.schemas.PaymentOrder).not.toHaveProperty("additionalProperties");
    expect(document.components.schemas.Problem).toMatchObject({ additionalProperties: {} });
    expect(document.components.schemas.PaymentOrderCancel).toMatchObject({ additionalProperties: false });
  });

  it("gives queries one by one, and the headers that a write takes", () => {
    const list = operation("listPaymentOrders").parameters ?? [];
    expect(list.map(({ name, in: place }) => `${place} ${name}`).sort()).toEqual([
      "query cursor",
      "query direction",
      "query externalId",
      "query limit",
      "query rail",
      "query status",
    ]);
    expect(list.every((parameter) => parameter.required === false)).toBe(true);
    const create = operation("createPaymentOrder");
    expect(create.parameters?.map(({ name }) => name).sort()).toEqual(["Idempotency-Key", "Prefer"]);
    expect(create.responses["409"]?.description).toContain("`idempotency_key_reused`");
    expect(Object.keys(create.responses["201"]?.headers ?? {})).toContain("Location");
  });
});
