import { describe, expect, it } from "vitest";
import { AnswerChecker, type Exchanged } from "./answers.ts";
import type { OpenApi } from "./document.ts";
import { observe } from "./observe.ts";

const problemResponse = (codes: string) => ({
  description: codes,
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
});
const text = { type: "string" };
const document: OpenApi = {
  openapi: "3.1.0",
  paths: {
    "/v1/things": {
      post: {
        operationId: "createThing",
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/ThingCreate" } } },
        },
        responses: {
          "201": { content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
          "400": problemResponse("`missing_field` `invalid_field`"),
        },
      },
    },
    "/v1/things/{id}": {
      get: {
        operationId: "getThing",
        security: [{ ApiKey: [] }],
        parameters: [{ name: "depth", in: "query" }],
        responses: {
          "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
          "404": problemResponse("`not_found`"),
          "503": problemResponse("`service_unavailable`"),
        },
      },
      delete: { operationId: "deleteThing", responses: { "204": { description: "Gone" } } },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: {
          id: text,
          at: { type: "string", format: "date-time" },
          part: { $ref: "#/components/schemas/Part" },
        },
        required: ["id", "at"],
      },
      Part: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
      ThingCreate: {
        type: "object",
        properties: { name: text },
        required: ["name"],
        additionalProperties: false,
      },
      Problem: {
        type: "object",
        properties: {
          type: text,
          title: text,
          status: { type: "integer" },
          detail: text,
          code: text,
          requestId: text,
          retryable: { type: "boolean" },
        },
        required: ["type", "title", "status", "detail", "code", "requestId", "retryable"],
        additionalProperties: {},
      },
    },
  },
};

const thing = { id: "thing_1", at: "2026-11-20T12:00:00.000Z" };
const notFound = {
  type: "https://docs.example/not_found",
  title: "There is no such resource",
  status: 404,
  detail: "Check the id.",
  code: "not_found",
  requestId: "req_1",
  retryable: false,
};

const read = (
  change: Partial<Exchanged> & { body?: unknown; head?: Record<string, string> } = {},
): Exchanged => ({
  method: "GET",
  path: "/v1/things/thing_1",
  status: 200,
  headers: new Headers({
    "x-request-id": "req_1",
    "content-type": "application/json; charset=utf-8",
    ...change.head,
  }),
  text: JSON.stringify(change.body ?? thing),
  ...change,
});
const problem = (body: object, change: Partial<Exchanged> = {}) =>
  read({ status: 404, body, head: { "content-type": "application/problem+json" }, ...change });
const faultsOf = (exchanged: Exchanged) => new AnswerChecker(document).faultsOf(exchanged);

describe("an answer as documented", () => {
  it.each([
    ["a resource", read()],
    ["one with a part of another schema", read({ body: { ...thing, part: { size: 3 } } })],
    ["one with a parameter", read({ path: "/v1/things/thing_1?depth=2" })],
    ["a problem", problem(notFound)],
    ["a problem with context", problem({ ...notFound, resourceId: "thing_1" })],
    ["no body after a DELETE", read({ method: "DELETE", status: 204, text: "" })],
    [
      "a problem for a path that has no operation",
      problem({ ...notFound, code: "route_not_found" }, { path: "/v1/nothing" }),
    ],
  ])("has no fault: %s", (_what, exchanged) => {
    expect(faultsOf(exchanged)).toEqual([]);
  });
});

describe("an answer that differs from the document", () => {
  it.each([
    ["a status", read({ status: 202 }), "status 202 is not documented"],
    [
      "a content type",
      read({ head: { "content-type": "text/html" } }),
      'content type "text/html" is not documented',
    ],
    ["a missing member", read({ body: { id: "thing_1" } }), "must have required property 'at'"],
    ["a wrong type", read({ body: { ...thing, id: 1 } }), "/id must be string"],
    ["a wrong format", read({ body: { ...thing, at: "yesterday" } }), '/at must match format "date-time"'],
    [
      "an unknown member",
      read({ body: { ...thing, colour: "red" } }),
      "/ must NOT have additional properties (colour)",
    ],
    [
      "an unknown member deep inside",
      read({ body: { ...thing, part: { size: 3, colour: "red" } } }),
      "/part must NOT have additional properties (colour)",
    ],
    ["an unknown parameter", read({ path: "/v1/things/thing_1?deep=2" }), "accepted the parameter deep"],
    ["a body where none is", read({ method: "DELETE", status: 204 }), "a body where none is documented"],
    [
      "no request id",
      { ...read(), headers: new Headers({ "content-type": "application/json" }) },
      "no X-Request-Id",
    ],
    [
      "a problem as plain JSON",
      read({ status: 404, body: notFound }),
      '404 as "application/json; charset=utf-8"',
    ],
    [
      "a problem without a detail",
      problem({ ...notFound, detail: undefined }),
      "must have required property 'detail'",
    ],
    [
      "a code of no catalogue",
      problem({ ...notFound, code: "lost_it" }),
      "code lost_it is not in the catalogue",
    ],
    ["a code of another status", problem({ ...notFound, code: "name_taken" }), "name_taken came with 404"],
    [
      "a code that the operation does not name",
      problem({ ...notFound, code: "route_not_found" }),
      "route_not_found is not documented for this operation",
    ],
    ["another request's id", problem({ ...notFound, requestId: "req_2" }), "requestId is not X-Request-Id"],
    [
      "a failure that no operation had",
      problem({ ...notFound, status: 500, code: "internal_error" }, { path: "/v1/nothing", status: 500 }),
      "500 where no operation is",
    ],
    ["a success that no operation had", read({ path: "/v1/nothing" }), '200 as "application/json'],
    [
      "503 without Retry-After",
      problem({ ...notFound, status: 503, code: "service_unavailable" }, { status: 503 }),
      "service_unavailable without Retry-After",
    ],
    [
      "201 without Location",
      read({ method: "POST", path: "/v1/things", status: 201 }),
      "201 without Location",
    ],
    [
      "a body that it would refuse",
      read({
        method: "POST",
        path: "/v1/things",
        status: 201,
        sent: { name: 1 },
        head: { location: "/v1/things/thing_1" },
      }),
      "accepted a body that the document refuses",
    ],
  ])("is a fault: %s", (_what, exchanged, fault) => {
    expect(faultsOf(exchanged).join("; ")).toContain(fault);
  });
});

describe("an observed fetch", () => {
  const ours = "http://gateway.test";
  const watch = (answer: () => Response) =>
    observe(
      (input) => Promise.resolve(input === `${ours}/v1/openapi.json` ? Response.json(document) : answer()),
      (origin) => origin === ours,
    );
  const answered = (body: object) => () => Response.json(body, { headers: { "x-request-id": "req_1" } });

  it("returns documented answers", async () => {
    const watched = watch(answered(thing));
    expect(await (await watched.fetch(`${ours}/v1/things/thing_1`)).json()).toEqual(thing);
    expect([watched.checked, watched.faults]).toEqual([1, []]);
  });

  it("fails the call of any other answer, and records the fault", async () => {
    const watched = watch(answered({ ...thing, colour: "red" }));
    await expect(watched.fetch(new Request(`${ours}/v1/things/thing_1`))).rejects.toThrow(
      "GET /v1/things/thing_1 → 200",
    );
    expect(watched.faults).toEqual([expect.stringContaining("must NOT have additional properties (colour)")]);
  });

  it("ignores the answers of other origins", async () => {
    const watched = watch(answered({ anything: "else" }));
    await watched.fetch("http://receiver.test/v1/things/thing_1");
    await watched.fetch(`${ours}/healthz`);
    expect(watched.checked).toBe(0);
  });
});
