import { describe, expect, it } from "vitest";
import type { WebhookDiagnosis } from "../../../contracts/http/webhooks/diagnosis.ts";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { World } from "../../world/world.ts";
import { usd } from "../../world/usd.ts";

const world = await forThisFile(World.join());
const { admin, live } = world.tenant.keys;

interface List<T> {
  readonly data: T[];
}

const createSink = async (body: object = {}) => (await world.post<TestSink>("/v1/test-sinks", body)).body;
const post = async ({ url }: TestSink) => (await fetch(url, { method: "POST", body: "{}" })).status;
const send = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown, key = admin) =>
  world.send(key, method, path, { body });

describe("a test sink", () => {
  it("is created, listed, read, changed, cleared and deleted", async () => {
    const made = await world.post<TestSink>("/v1/test-sinks", { respond: [500, { fault: "Reset" }] });
    expect(made.headers.get("location")).toBe(`/v1/test-sinks/${made.body.id}`);
    const path = `/v1/test-sinks/${made.body.id}`;
    expect(made.body).toMatchObject({ respond: [500, 0], script: [{ status: 500 }, { fault: "Reset" }] });
    expect((await send("GET", path)).body).toEqual(made.body);
    expect((await world.get<List<TestSink>>("/v1/test-sinks")).body.data[0]).toEqual(made.body);
    expect(await post(made.body)).toBe(500);
    expect(await send("PATCH", path, { respond: [201] })).toMatchObject({
      status: 200,
      body: { script: [{ status: 201 }], received: 1 },
    });
    expect(await post(made.body)).toBe(201);
    expect((await send("DELETE", `${path}/requests`)).status).toBe(204);
    expect((await world.get<List<TestSinkRequest>>(`${path}/requests`)).body.data).toEqual([]);
    expect((await send("DELETE", path)).status).toBe(204);
    expect((await send("GET", path)).status).toBe(404);
    expect(await post(made.body)).toBe(404);
  });

  it("answers a waiting caller as soon as a request has come", async () => {
    const sink = await createSink();
    const path = `/v1/test-sinks/${sink.id}/requests`;
    expect((await world.get<List<TestSinkRequest>>(`${path}?after=0&wait=0`)).body.data).toEqual([]);
    for (const number of [1, 2, 3]) {
      const waiting = world.get<List<TestSinkRequest>>(`${path}?after=${String(number - 1)}&wait=10`);
      expect(await post(sink)).toBe(200);
      expect((await waiting).body.data).toMatchObject([{ number, body: "{}", respondedStatus: 200 }]);
    }
  });

  it("answers a caller whose time is over with an empty page", async () => {
    const sink = await createSink();
    const answer = await world.get<List<TestSinkRequest>>(`/v1/test-sinks/${sink.id}/requests?wait=3`);
    expect([answer.status, answer.body.data]).toEqual([200, []]);
  });

  it("can't be created or listed with a Live key", async () => {
    const refused = { status: 403, body: { code: "simulation_requires_test_key" } };
    expect(await send("POST", "/v1/test-sinks", {}, live)).toMatchObject(refused);
    expect(await send("GET", "/v1/test-sinks", undefined, live)).toMatchObject(refused);
  });

  it.each<[what: string, respond: unknown, error: object]>([
    [
      "an unknown member",
      [{ status: 200, delay: 5 }],
      { pointer: "/respond/0/delay", code: "unknown_field" },
    ],
    ["a status out of range", [200, 600], { pointer: "/respond/1", code: "invalid_field" }],
    ["a fault with a status", [{ status: 200, fault: "Hang" }], { pointer: "/respond/0/status" }],
  ])("refuses a script with %s, and points at it", async (_what, respond, error) => {
    const sink = await createSink();
    for (const [method, path] of [
      ["POST", "/v1/test-sinks"],
      ["PATCH", `/v1/test-sinks/${sink.id}`],
    ] as const) {
      expect(await send(method, path, { respond })).toMatchObject({ status: 400, body: { errors: [error] } });
    }
  });

  it.each(["after=-1", "after=x", "wait=11", "wait=1.5", "wait=10s"])("refuses %s", async (query) => {
    const sink = await createSink();
    const answer = await send("GET", `/v1/test-sinks/${sink.id}/requests?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_field" } });
  });
});

describe("a diagnosis", () => {
  const received = { endpointId: newId("we"), header: "a".repeat(64) };

  it("names a body that was re-serialized", async () => {
    const sink = await createSink();
    const endpoint = (
      await world.post<{ id: string }>("/v1/webhook-endpoints", {
        url: sink.url,
        eventTypes: ["payment_order.completed"],
      })
    ).body;
    const payer = await world.payerWith(usd("100.00"));
    await world.comesToRest((await payer.pays(usd("1.00"))).id);
    const path = `/v1/test-sinks/${sink.id}/requests?after=0&wait=10`;
    const request = await until("a request to the sink", async () => {
      const { body } = await world.get<List<TestSinkRequest>>(path);
      return body.data[0];
    });
    const sent = { endpointId: endpoint.id, header: request.headers["x-service-signature"] };
    const diagnose = async (body: string | undefined | null) =>
      (await world.post<WebhookDiagnosis>("/v1/webhooks/diagnose", { ...sent, body })).body;
    expect(await diagnose(request.body)).toMatchObject({ verdict: "Valid", secret: { version: 1 } });
    const anew = JSON.stringify(JSON.parse(request.body ?? ""), null, 2);
    expect(await diagnose(anew)).toMatchObject({ verdict: "BodyReserialized", firstDifferentByte: 1 });
  });

  it("refuses a body of more than 64 KiB, and one of 1 MiB before it is read", async () => {
    const diagnose = (length: number) =>
      send("POST", "/v1/webhooks/diagnose", { ...received, body: "x".repeat(length) });
    expect(await diagnose(65_537)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/body", message: "must have at most 65,536 characters" }] },
    });
    expect(await diagnose(1_048_576)).toMatchObject({ status: 413, body: { code: "body_too_large" } });
  });

  it("finds no endpoint of nobody", async () => {
    const answer = await send("POST", "/v1/webhooks/diagnose", { ...received, body: "{}" });
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
