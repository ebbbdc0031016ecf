import "reflect-metadata";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { scopes } from "../../../contracts/http/scopes.ts";
import { eventTypes } from "../../../contracts/http/webhooks/webhooks.ts";
import type { Schema } from "../../../scripts/openapi/compare-schemas.ts";
import { inlineReferences } from "../../../scripts/openapi/inline-references.ts";
import { descriptions } from "./texts/descriptions.ts";
import { previewOf } from "./preview.ts";
import { writeDocument } from "./write.ts";

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: { ApiKey: string[] }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  parameters?: { name: string; in: string; required?: boolean; description?: string }[];
  responses: Record<string, { description: string; content?: Record<string, Media>; headers?: object }>;
}
interface Document {
  openapi: string;
  info: Record<string, unknown>;
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    examples: Record<string, { value: { code: string } }>;
    responses: Record<string, object>;
  };
}

const written = writeDocument(await previewOf(), "v1") as unknown as Document;
const document = inlineReferences(written);

interface Named {
  name: string;
  operation: Operation;
}
const operations = (): Named[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
const operation = (id: string) => operations().find((each) => each.operation.operationId === id)!.operation;
/** Every JSON body of a request, answer or event, with its location. */
const bodies = (): { at: string; media: Media }[] => [
  ...operations().flatMap(({ name, operation: { requestBody, responses } }) => [
    ...(requestBody === undefined
      ? []
      : [{ at: `${name} body`, media: requestBody.content["application/json"]! }]),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).map((media) => ({ at: `${name} ${status}`, media })),
    ),
  ]),
  ...Object.entries(document.webhooks).map(([type, { post }]) => ({
    at: type,
    media: post.requestBody!.content["application/json"]!,
  })),
];

const withoutScope = new Set([
  "GET /v1/api-keys/me",
  "GET /v1/me",
  "GET /v1/sessions",
  "DELETE /v1/sessions/{id}",
]);

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1 and has only the paths of /v1", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: "Quittance", version: "v1" });
    expect(Object.keys(document.paths).filter((path) => !path.startsWith("/v1/"))).toEqual([]);
  });

  it("names the scope of every operation except those that need no scope or no key", () => {
    for (const { name, operation: each } of operations()) {
      if (name === "GET /v1/openapi.json") continue;
      if (withoutScope.has(name)) continue;
      const [scope = ""] = each.security[0]?.ApiKey ?? [];
      expect(scopes, name).toContain(scope);
      expect(each.description, name).toContain(`\`${scope}\``);
    }
    expect(operation("getOwnApiKey").security).toEqual([{ ApiKey: [] }]);
    expect(operation("getOpenApi").security).toEqual([]);
  });

  it("shares every refusal that has a component name", () => {
    expect(Object.keys(written.components.responses)).toEqual(
      `
        ArchivedCounterparty BalanceOutOfRange BodyTooLarge ExternalIdConflict Forbidden ForbiddenToDecide
        ForbiddenToWrite IdempotencyConflict IncompleteQuery InternalError InvalidAccount InvalidBody InvalidBodyOfRead
        InvalidDeletion InvalidPath InvalidQuery NotFound PreconditionFailed RateLimited ServiceUnavailable
        SimulationNotApplicable SimulationRefused StateConflict StepUpRequired SubmissionRefused SystemAccount
        TestKeyRequired TestKeyRequiredToWrite TransactionConflict Unauthorized UnsupportedMediaType
        UpstreamTimeout
      `
        .trim()
        .split(/\s+/),
    );
  });

  it("gives every operation an id of its own, a summary and a description", () => {
    const ids = operations().map((each) => each.operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, operation: each } of operations()) expect(each.summary, name).toMatch(/^[A-Z].{5,}/);
    expect(ids.filter((id) => descriptions[id] === undefined)).toEqual([]);
    expect(Object.keys(descriptions).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it("describes every tag", () => {
    const used = [
      ...operations().map((each) => each.operation),
      ...Object.values(document.webhooks).map(({ post }) => post),
    ];
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(new Set(used.flatMap(({ tags }) => tags)));
    for (const { name, description } of document.tags) expect(description, name).toBeDefined();
  });

  it("gives every body and every answer an example", () => {
    const without = bodies().filter(
      ({ media }) => media.example === undefined && media.examples === undefined,
    );
    expect(without.map(({ at }) => at)).toEqual([]);
  });

  it("has only examples that match their schemas", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: "api", components: document.components });
    for (const { at, media } of bodies()) {
      const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"api#/')) as object;
      const shown = [media.example, ...Object.values(media.examples ?? {}).map(({ value }) => value)];
      for (const value of shown.filter((each) => each !== undefined)) {
        expect(ajv.validate(schema, value), `${at}: ${ajv.errorsText()} in ${JSON.stringify(value)}`).toBe(
          true,
        );
      }
    }
  });

  it("describes every answer, and every refusal as a problem with an example for each code", () => {
    for (const { name, operation: each } of operations()) {
      for (const [status, response] of Object.entries(each.responses)) {
        if (["204", "304"].includes(status)) continue;
        const type = Number(status) < 300 ? "application/json" : "application/problem+json";
        const media = response.content?.[type];
        expect(media?.schema, `${name} ${status}`).toBeDefined();
        if (Number(status) < 300) continue;
        for (const [code, { $ref }] of Object.entries(media?.examples ?? {})) {
          expect(response.description, `${name} ${status}`).toContain(`\`${code}\``);
          expect($ref).toBe(`#/components/examples/${code}`);
          expect(document.components.examples[code]?.value.code).toBe(code);
        }
      }
    }
  });

  it.each([
    "getLedgerAccount",
    "listLedgerAccounts",
    "updateLedgerAccount",
    "closeLedgerAccount",
    "getLedgerAccountStatement",
    "listLedgerAccountJournals",
    "getLedgerAccountBalanceHistory",
    "getBalances",
    "getLedgerProof",
  ])("says of %s that a balance may be out of range", (id) => {
    expect(operation(id).responses["422"]?.description).toContain("`balance_out_of_range`");
  });

  it("writes shared parameters and refusals once, as components", () => {
    const inline = Object.values(written.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [], responses }) => [
        ...parameters,
        ...Object.entries(responses).flatMap(([status, response]) =>
          Number(status) < 400 ? [] : { status, ...response },
        ),
      ])
      .filter((part) => !("$ref" in part));
    const texts = inline.map((part) => JSON.stringify(part));
    // If this fails, add a name in shared-components.ts.
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it("has every event, with its signature headers", () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...eventTypes].sort());
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      expect(
        post.parameters?.map(({ name }) => name),
        type,
      ).toEqual(["X-Service-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"]);
    }
  });

  it("has a target for every reference", () => {
    const references = JSON.stringify(document).matchAll(/"#\/components\/(schemas|examples)\/([^"]+)"/g);
    for (const [, kind, name = ""] of references) {
      expect(document.components[kind as "schemas"], name).toHaveProperty(name);
    }
  });

  it("describes the body by the schema that validates it", () => {
    const create = operation("createPaymentOrder");
    expect(create.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/PaymentOrderCreate",
    });
    expect(document.components.schemas["PaymentOrderCreate"]).toMatchObject({
      type: "object",
      additionalProperties: false,
      required: ["direction", "rail", "amountCents"],
      properties: {
        amountCents: { type: "integer", minimum: 1, maximum: 999_999_999_999 },
        rail: { $ref: "#/components/schemas/Rail" },
      },
    });
    expect(document.components.schemas["Rail"]).toMatchObject({
      type: "string",
      enum: ["Ach", "SameDayAch", "Rtp", "Wire", "Book", "Usdc"],
    });
  });

  it("lets an optional member of a body be null, which counts as absent, unless the body is a PATCH", () => {
    const { PaymentOrderCreate, PaymentOrderPatch, LedgerAccountCreate } = written.components
      .schemas as Record<string, { properties: Record<string, object> }>;
    expect(PaymentOrderCreate?.properties).toMatchObject({
      amountCents: { type: "integer" },
      description: { type: ["string", "null"] },
      metadata: { type: ["object", "null"], additionalProperties: { type: ["string", "null"] } },
    });
    expect(LedgerAccountCreate?.properties).toMatchObject({
      overdraft: {
        default: "Allowed",
        anyOf: [{ $ref: "#/components/schemas/Overdraft" }, { type: "null" }],
      },
    });
    expect(PaymentOrderPatch?.properties).toMatchObject({
      rail: { $ref: "#/components/schemas/Rail" },
      description: { type: ["string", "null"] },
    });
  });

  it("marks optional bodies", () => {
    expect(operation("createPaymentOrder").requestBody).toMatchObject({ required: true });
    expect(operation("cancelPaymentOrder").requestBody).toMatchObject({ required: false });
    expect(operation("simulatePaymentOrder").requestBody).toMatchObject({ required: false });
  });

  it("allows new fields in answers, but not in bodies", () => {
    expect(document.components.schemas["PaymentOrder"]).not.toHaveProperty("additionalProperties");
    expect(document.components.schemas["Problem"]).toMatchObject({ additionalProperties: {} });
    expect(document.components.schemas["PaymentOrderCancel"]).toMatchObject({ additionalProperties: false });
  });

  it("says where the cursor of the next page is, also where the answer is a bare array", () => {
    const isArray = ({ responses }: Operation) =>
      responses["200"]?.content?.["application/json"]?.schema["type"] === "array";
    const paged = operations().flatMap(({ operation: one }) => {
      const cursor = one.parameters?.find(({ name }) => name === "cursor");
      return cursor === undefined
        ? []
        : [{ id: one.operationId, isArray: isArray(one), text: cursor.description }];
    });
    expect(paged.filter(({ isArray: bare }) => bare).map(({ id }) => id)).toEqual(["listLedgerEntries"]);
    for (const { isArray: bare, text } of paged)
      expect(text).toContain(
        bare ? "the header `Link` of the previous page" : "`nextCursor` of the previous page",
      );
  });

  it("lists query parameters one by one, and the headers of a write", () => {
    const list = operation("listPaymentOrders").parameters ?? [];
    const names = ["query cursor", "query direction", "query limit", "query rail", "query status"];
    expect(list.map(({ name, in: source }) => `${source} ${name}`)).toEqual(expect.arrayContaining(names));
    expect(list.every((parameter) => parameter.required === false)).toBe(true);
    // One value, as callers of the first release send it, or several.
    const status = { $ref: "#/components/schemas/PaymentOrderStatus" };
    expect(list.find(({ name }) => name === "status")).toMatchObject({
      description: "Has one of these statuses. May be repeated, with up to 50 values.",
      example: "Draft",
      schema: { anyOf: [status, { type: "array", items: status }] },
    });
    const create = operation("createPaymentOrder");
    expect(create.parameters?.map(({ name }) => name).sort()).toEqual(["Idempotency-Key", "Prefer"]);
    expect(create.responses["409"]?.description).toContain("`idempotency_key_reused`");
    expect(Object.keys(create.responses["201"]?.headers ?? {})).toContain("Location");
  });
});
