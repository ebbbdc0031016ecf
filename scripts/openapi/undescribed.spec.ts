import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Described, undescribed } from "./undescribed.ts";

/** A small document with every description. */
function complete() {
  const status = { $ref: "#/components/schemas/Status" } as Record<string, unknown>;
  return {
    paths: {
      "/v1/orders/{id}": {
        get: {
          operationId: "getOrder",
          summary: "Read an order",
          description: "The order with its history.",
          parameters: [{ $ref: "#/components/parameters/Id" }] as Record<string, unknown>[],
          responses: {
            "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } } },
          },
        },
      },
    },
    components: {
      schemas: {
        Order: {
          description: "An order.",
          properties: {
            status,
            history: { description: "Its changes.", items: { properties: { to: status } } },
          } as Record<string, Record<string, unknown>>,
        } as Record<string, unknown>,
        Status: {
          description: "Where it is.",
          enum: ["Open", "Closed"],
          "x-enumDescriptions": { Open: "It can change.", Closed: "It is final." },
        } as Record<string, unknown>,
      },
      parameters: {
        Id: { name: "id", in: "path", description: "The order's id.", example: "o_1", schema: {} } as Record<
          string,
          unknown
        >,
      },
    },
  };
}
type Complete = ReturnType<typeof complete>;
const properties = ({ components }: Complete) =>
  components.schemas.Order["properties"] as Record<string, Record<string, unknown>>;

const breaks: [string, (document: Complete) => void, string][] = [
  [
    "a summary that is a sentence",
    ({ paths }) => (paths["/v1/orders/{id}"].get.summary = "Read an order; its history too"),
    "getOrder: its summary is not a title of at most 40 characters; move the rest to its description",
  ],
  [
    "a summary that is too long",
    ({ paths }) =>
      (paths["/v1/orders/{id}"].get.summary = "Read an order that somebody created at some time"),
    "getOrder: its summary is not a title of at most 40 characters; move the rest to its description",
  ],
  [
    "an operation without a description",
    ({ paths }) => (paths["/v1/orders/{id}"].get.description = ""),
    "getOrder: lacks a description",
  ],
  [
    "a schema without a description",
    ({ components }) => delete components.schemas.Order["description"],
    "Order: lacks a description",
  ],
  [
    "a field without a description",
    (document) => (properties(document)["total"] = { type: "integer" }),
    "Order.total: lacks a description",
  ],
  [
    "a nested field without a description",
    (document) => (properties(document)["history"]!["items"] = { properties: { at: { type: "string" } } }),
    "Order.history.at: lacks a description",
  ],
  [
    "an enum value without a description",
    ({ components }) => (components.schemas.Status["x-enumDescriptions"] = { Open: "It can change." }),
    "Status: its value Closed lacks a description",
  ],
  [
    "an enum that is not a component",
    (document) => (properties(document)["kind"] = { description: "Its kind.", enum: ["A", "B"] }),
    "Order.kind: its enum is not a named component: use namedEnum",
  ],
  [
    "a parameter without a description",
    ({ components }) => delete components.parameters.Id["description"],
    "getOrder, parameter id: lacks a description",
  ],
  [
    "a parameter without an example",
    ({ components }) => delete components.parameters.Id["example"],
    "getOrder, parameter id: lacks an example",
  ],
];

describe("the check for missing descriptions", () => {
  it("accepts a document with every description", () => {
    expect(undescribed(complete())).toEqual([]);
  });

  it.each(breaks)("refuses %s", (_name, change, message) => {
    const document = complete();
    change(document);
    expect(undescribed(document)).toEqual([message]);
  });

  it("accepts the committed document", () => {
    const committed = new URL("../../contracts/openapi/v1.json", import.meta.url);
    expect(undescribed(JSON.parse(readFileSync(committed, "utf8")) as Described)).toEqual([]);
  });
});
