import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { ApproveOrder, GetOrder } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue();

const orders = "/v1/payment-orders";
const body = {
  direction: "Credit",
  rail: "Ach",
  amountCents: 1250,
  ledgerAccountName: "Operating",
  counterpartyName: "Blue Freight",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "021000021",
};
const get = (path: string) => gateway.call("GET", path, { key });

describe("an error", () => {
  it("is answered as problem+json with the request's id", async () => {
    await gateway.owner(GetOrder, () => {
      throw new Refusal("not_found", "Check the id.", { context: { hint: "po_" } });
    });
    const answer = await get(`${orders}/po_x?`);
    expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(answer.body).toEqual({
      type: "https://docs.quittance.example/errors/not_found",
      title: "There is no such resource",
      status: 404,
      detail: "Check the id.",
      instance: "/v1/payment-orders/po_x",
      code: "not_found",
      requestId: answer.headers.get("x-request-id"),
      retryable: false,
      hint: "po_",
    });
  });

  it("is service_unavailable at once when no instance of the owner is connected", async () => {
    // Not at the deadline: that would be upstream_timeout.
    const answer = await get("/v1/balances");
    expect(answer.body).toMatchObject({
      status: 503,
      code: "service_unavailable",
      detail: "A part of the service is not available right now. Send the request again.",
      retryable: true,
    });
    expect(answer.headers.get("retry-after")).toBe("1");
  });

  it("says after a time-out what may have been carried out: a write, and nothing by a read", async () => {
    const late = () => {
      throw new Refusal("upstream_timeout", "The service did not answer in time.");
    };
    await gateway.owner(GetOrder, late);
    await gateway.owner(ApproveOrder, late);
    expect((await get(`${orders}/po_x`)).body).toMatchObject({
      status: 504,
      detail: "The service did not answer in time. This request changes nothing: send it again.",
      retryable: true,
    });
    const headers = { "idempotency-key": "k-2" };
    expect((await gateway.call("POST", `${orders}/po_x/approve`, { key, headers })).body).toMatchObject({
      detail:
        "The service did not answer in time. The request may have been carried out: send it again with the same Idempotency-Key.",
      retryable: true,
    });
  });

  it("says of a failed write whether it may be sent again: only with an Idempotency-Key", async () => {
    const failed = async (headers: Record<string, string>) =>
      (await gateway.call("POST", orders, { key, body, headers })).body;
    expect(await failed({ "idempotency-key": "k-1" })).toMatchObject({ status: 503, retryable: true });
    expect(await failed({})).toMatchObject({ status: 503, retryable: false });
    // A preview writes nothing.
    const preview = await gateway.call("POST", `${orders}/preview`, { key, body });
    expect(preview.body).toMatchObject({ status: 503, retryable: true });
  });

  it("is internal_error without detail when an owner breaks its contract", async () => {
    await gateway.owner(GetOrder, () => ({ surprise: "secret" }) as never);
    const answer = await get(`${orders}/po_x`);
    expect(answer.body).toMatchObject({ status: 500, code: "internal_error" });
    expect(answer.text).not.toMatch(/secret|zod|surprise/i);
  });

  it.each([
    ["broken JSON", { raw: "{" }, 400, "malformed_json"],
    ["JSON that is not UTF-8", { raw: Buffer.from([0x7b, 0xff, 0x7d]) }, 400, "malformed_json"],
    ["no body at all", {}, 400, "missing_field"],
    [
      "a form",
      { raw: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } },
      415,
      "unsupported_media_type",
    ],
    [
      "plain text",
      { raw: "hello", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    [
      "a compressed body",
      { raw: gzipSync("{}"), headers: { "content-encoding": "gzip" } },
      415,
      "unsupported_media_type",
    ],
    [
      "another charset",
      { raw: "{}", headers: { "content-type": "application/json; charset=utf-16" } },
      415,
      "unsupported_media_type",
    ],
    ["a body of no type", { raw: "hello", headers: { "content-type": "" } }, 415, "unsupported_media_type"],
    ["more than a megabyte", { raw: `"${"x".repeat(1_048_576)}"` }, 413, "body_too_large"],
    ["a float", { body: { ...body, amountCents: 12.5 } }, 400, "invalid_field"],
    ["a NUL", { body: { ...body, counterpartyName: "a\0b" } }, 400, "invalid_field"],
    ["half a character", { body: { ...body, description: "\ud800" } }, 400, "invalid_field"],
    ["a poisoned prototype", { raw: '{"__proto__":{"admin":true}}' }, 400, "unknown_field"],
    ["a poisoned constructor", { raw: '{"constructor":{"prototype":{"a":1}}}' }, 400, "invalid_request"],
  ])("in the body, as with %s, is refused by its name", async (_what, more, status, code) => {
    expect((await gateway.call("POST", orders, { key, ...more })).body).toMatchObject({ status, code });
  });

  it("in the path is 404, or 405 with the allowed methods", async () => {
    expect((await get("/v1/nothing")).body).toMatchObject({ status: 404, code: "route_not_found" });
    for (const path of ["/openapi.json", "/nothing"])
      expect((await gateway.call("GET", path)).body).toMatchObject({
        status: 404,
        code: "route_not_found",
        detail: "Check the path: GET /docs shows every route, GET /v1/openapi.json has them for programs.",
      });
    const wrong = await gateway.call("DELETE", `${orders}/po_x`, { key });
    expect(wrong.body).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(wrong.headers.get("allow")).toBe("GET, HEAD, PATCH");
  });

  it("in the path is also 405 when a fixed segment would be read as an id", async () => {
    await gateway.owner(GetOrder, () => {
      throw new Refusal("not_found", "There is no payment order with this id.");
    });
    const preview = await get(`${orders}/preview`);
    expect(preview.body).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(preview.headers.get("allow")).toBe("POST");
    expect((await get(`${orders}/po_x`)).body).toMatchObject({ status: 404, code: "not_found" });
  });

  it("in the URL's encoding or length is a refusal, not a 500", async () => {
    expect((await get(`${orders}/%zz`)).body).toMatchObject({ status: 400, code: "invalid_request" });
    expect((await get(`${orders}/${"x".repeat(200)}`)).body).toMatchObject({
      status: 404,
      code: "not_found",
    });
    await gateway.owner(GetOrder, () => {
      throw new Refusal("not_found", "Check the id.");
    });
    expect((await get(`${orders}/%00`)).status).toBe(404);
    expect((await get(`${orders}?externalId=%00`)).body.code).toBe("invalid_field");
  });

  it("in the query of a route without parameters is refused with its name, after authentication", async () => {
    const unknown = await get(`${orders}/po_x?colour=red`);
    expect(unknown.body).toMatchObject({
      status: 400,
      code: "unknown_parameter",
      errors: [{ pointer: "?colour", code: "unknown_parameter", message: "is not known here" }],
    });
    expect((await gateway.call("GET", `${orders}/po_x?colour=red`)).body.code).toBe("api_key_missing");
  });

  it("in an optional body is refused too: null is not a missing body", async () => {
    const answer = await gateway.call("POST", `${orders}/po_x/submit`, { key, raw: "null" });
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_request" });
  });

  it("below HTTP is answered in the same form", async () => {
    const { port } = new URL(gateway.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write("NONSENSE\r\n\r\n"));
      let text = "";
      socket.on("data", (bytes) => (text += bytes.toString()));
      socket.on("end", () => resolve(text));
      socket.on("error", reject);
    });
    expect(answer).toContain("HTTP/1.1 400 Bad Request");
    expect(answer).toContain('"code":"invalid_request"');
  });
});

describe("an operations endpoint", () => {
  const operators = (path: string) => fetch(gateway.operationsUrl + path);

  it("needs no key, on a port of its own", async () => {
    expect(await (await operators("/healthz")).json()).toEqual({ status: "alive" });
    expect(await (await operators("/readyz")).json()).toEqual({ status: "ready" });
    expect(await (await operators("/metrics?x=1")).text()).toContain("process_cpu");
    expect((await operators("/v1/payment-orders")).status).toBe(404);
  });

  it.each(["/healthz", "/readyz", "/metrics"])("can't be reached by tenants: %s", async (path) => {
    expect((await gateway.call("GET", path)).body).toMatchObject({ status: 404, code: "route_not_found" });
  });
});
