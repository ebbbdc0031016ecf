import { describe, expect, it } from "vitest";
import { breakingChanges, type Document } from "./breaking-changes.ts";

/** A small API with every construct that the rules cover. */
function api() {
  return {
    paths: {
      "/v1/orders": {
        post: {
          operationId: "createOrder",
          security: [{ ApiKey: ["orders:write"] }] as Record<string, string[]>[],
          parameters: [
            {
              name: "Idempotency-Key",
              in: "header",
              required: false,
              schema: { type: "string", maxLength: 255 },
            },
          ] as Record<string, unknown>[],
          requestBody: {
            required: false,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Create" } } },
          } as Record<string, unknown>,
          responses: {
            "201": {
              headers: { Location: {} },
              content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } },
            },
            "409": { content: {} },
          } as Record<string, unknown>,
        },
      },
    } as Record<string, Record<string, Record<string, unknown>>>,
    webhooks: {
      "order.completed": {
        post: {
          operationId: "orderCompleted",
          parameters: [{ name: "webhook-id", in: "header" }],
          requestBody: {
            content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } },
          },
          responses: { "2XX": {} },
        },
      },
    } as Record<string, unknown>,
    components: {
      schemas: {
        Create: {
          type: "object",
          additionalProperties: false,
          required: ["amountCents"],
          properties: {
            amountCents: { type: "integer", minimum: 1, maximum: 1_000 },
            rail: { type: "string", enum: ["Ach", "Rtp"] },
            note: { type: "string", minLength: 1, maxLength: 10 },
            submit: { type: "boolean", default: true },
            tags: { type: "array", items: { type: "string" }, maxItems: 5 },
            parent: { $ref: "#/components/schemas/Create" },
          } as Record<string, Record<string, unknown>>,
        },
        Order: {
          type: "object",
          required: ["id", "status"],
          properties: {
            id: { type: "string" },
            status: { type: "string", enum: ["Draft", "Done"] },
            at: { type: "string", format: "date-time" },
            note: { type: ["string", "null"] },
          } as Record<string, Record<string, unknown>>,
        },
      },
    },
  };
}
type Api = ReturnType<typeof api>;

function changesOf(change: (after: Api) => void): string[] {
  const after = api();
  change(after);
  return breakingChanges(api() as unknown as Document, after as unknown as Document);
}
const create = (after: Api) => after.paths["/v1/orders"]!["post"]!;
const written = (after: Api) => after.components.schemas.Create;
const read = (after: Api) => after.components.schemas.Order;
const inBody = (field: string, change: object) => (after: Api) =>
  void Object.assign(written(after).properties[field]!, change);
const inAnswer = (field: string, change: object) => (after: Api) =>
  void Object.assign(read(after).properties[field]!, change);
const post = "POST /v1/orders";

type Row = [what: string, change: (after: Api) => void, expected: string];

const breaking: Row[] = [
  ["a path goes", (a) => delete a.paths["/v1/orders"], `${post}: it is gone`],
  [
    "an operation is renamed",
    (a) => (create(a)["operationId"] = "makeOrder"),
    `${post}: its operationId was createOrder and is makeOrder`,
  ],
  [
    "an operation needs another scope",
    (a) => (create(a)["security"] = [{ ApiKey: ["orders:approve"] }]),
    `${post}: it needed [{"ApiKey":["orders:write"]}] and needs [{"ApiKey":["orders:approve"]}]`,
  ],
  ["a parameter goes", (a) => (create(a)["parameters"] = []), `${post} header Idempotency-Key: it is gone`],
  [
    "an optional parameter is required",
    (a) => ((create(a)["parameters"] as Record<string, unknown>[])[0]!["required"] = true),
    `${post} header Idempotency-Key: it is required now`,
  ],
  [
    "a new parameter is required",
    (a) => (create(a)["parameters"] as unknown[]).push({ name: "v", in: "query", required: true }),
    `${post} query v: it is required now`,
  ],
  [
    "a body that could be left out is required",
    (a) => ((create(a)["requestBody"] as Record<string, unknown>)["required"] = true),
    `${post} body: it is required now`,
  ],
  [
    "an answer's status changes",
    (a) => {
      const responses = create(a)["responses"] as Record<string, unknown>;
      responses["202"] = responses["201"];
      delete responses["201"];
    },
    `${post} 201: it is gone`,
  ],
  [
    "a header of an answer goes",
    (a) =>
      delete (create(a)["responses"] as { "201": { headers: { Location?: object } } })["201"].headers
        .Location,
    `${post} 201 Location: it is gone`,
  ],
  ["a field of a body goes", (a) => delete written(a).properties["note"], "Create.note: it is gone"],
  [
    "an optional field is required",
    (a) => written(a).required.push("rail"),
    "Create.rail: it is required now",
  ],
  [
    "a field's type changes",
    (a) => (written(a).properties["amountCents"] = { type: "string" }),
    "Create.amountCents: its type was integer and is string",
  ],
  [
    "a maximum falls",
    inBody("amountCents", { maximum: 999 }),
    "Create.amountCents: maximum was 1000 and is 999",
  ],
  ["a minimum rises", inBody("note", { minLength: 2 }), "Create.note: minLength was 1 and is 2"],
  ["a bound appears", inBody("tags", { minItems: 1 }), "Create.tags: minItems was not said and is 1"],
  ["a pattern appears", inBody("note", { pattern: "^x" }), 'Create.note: pattern was not said and is "^x"'],
  [
    "a value is not taken any more",
    inBody("rail", { enum: ["Ach"] }),
    "Create.rail: it does not take Rtp any more",
  ],
  ["only some values are taken now", inBody("note", { enum: ["x"] }), "Create.note: it takes only x now"],
  ["a default changes", inBody("submit", { default: false }), "Create.submit: default was true and is false"],
  ["a field of answers and events goes", (a) => delete read(a).properties["at"], "Order.at: it is gone"],
  ["a field of answers can be absent", (a) => read(a).required.pop(), "Order.status: it can be absent now"],
  [
    "a field of answers can be null",
    inAnswer("id", { type: ["string", "null"] }),
    "Order.id: its type was string and is string or null",
  ],
  [
    "a time is not a time any more",
    inAnswer("at", { format: "date" }),
    'Order.at: format was "date-time" and is "date"',
  ],
  ["an event goes", (a) => delete a.webhooks["order.completed"], "POST order.completed: it is gone"],
];

const additive: [string, (after: Api) => void][] = [
  ["nothing", () => undefined],
  ["a new path", (a) => (a.paths["/v1/accounts"] = { get: { responses: {} } })],
  ["a new optional field in a body", (a) => (written(a).properties["memo"] = { type: "string" })],
  [
    "a new optional parameter",
    (a) => (create(a)["parameters"] as unknown[]).push({ name: "v", in: "query" }),
  ],
  ["a new field in answers", (a) => (read(a).properties["memo"] = { type: "string" })],
  ["a new required field in answers", (a) => read(a).required.push("at")],
  ["a new value in answers", inAnswer("status", { enum: ["Draft", "Done", "Failed"] })],
  ["a new value that is taken", inBody("rail", { enum: ["Ach", "Rtp", "Wire"] })],
  ["a wider bound", inBody("amountCents", { maximum: 2_000 })],
  ["a field that may be null in a body", inBody("note", { type: ["string", "null"] })],
  ["a field that is not required any more", (a) => written(a).required.pop()],
  ["a new event", (a) => (a.webhooks["order.failed"] = { post: { responses: {} } })],
  ["a new refusal", (a) => ((create(a)["responses"] as Record<string, unknown>)["422"] = {})],
  [
    "a parameter that becomes a shared component",
    (a) => {
      const [parameter] = create(a)["parameters"] as unknown[];
      create(a)["parameters"] = [{ $ref: "#/components/parameters/Key" }];
      Object.assign(a.components, { parameters: { Key: parameter } });
    },
  ],
  ["an operation that needs no key any more", (a) => (create(a)["security"] = [])],
];

describe("a change of the API", () => {
  it.each(breaking)("breaks callers when %s", (_what, change, expected) => {
    expect(changesOf(change)).toEqual([expected]);
  });

  it.each(additive)("is fine: %s", (_what, change) => {
    expect(changesOf(change)).toEqual([]);
  });
});
