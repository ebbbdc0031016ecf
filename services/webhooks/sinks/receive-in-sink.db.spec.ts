import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/units.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateTestSink, ListTestSinkRequests } from "../../../contracts/messages/webhooks.ts";
import type { TestSink } from "../../../contracts/http/webhooks/webhooks.ts";
import {
  statusChange,
  ManualClock,
  requestContext,
  testCipher,
  testWebhooksConfig,
  WebhooksInstance,
} from "../../../test/stack/webhooks.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { Clock } from "../clock.ts";
import { acceptRawBodies } from "./accept-raw-bodies.ts";
import { ReceiveInSink } from "./receive-in-sink.controller.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";
import { ManageTestSinks } from "./manage-test-sinks.handler.ts";

class SinkModule {}

const clock = new ManualClock();
let tester: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
const providers = [
  { provide: Database, useValue: units.database },
  { provide: Clock, useValue: clock },
  { provide: EndpointResolver, useValue: new EndpointResolver(testCipher) },
];
const app = await forThisFile(
  NestFactory.create<NestFastifyApplication>(
    { module: SinkModule, controllers: [ReceiveInSink], providers },
    new FastifyAdapter(),
    { rawBody: true, logger: false },
  ),
);
acceptRawBodies(app);
await app.listen(0, "127.0.0.1");
const config = testWebhooksConfig({ SINK_BASE_URL: await app.getUrl() });
const sinks = new ManageTestSinks(units.units, units.database, clock, config);
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
beforeEach(() => {
  tester = requestContext();
});

async function createSink(script: Partial<Pick<TestSink, "respond" | "delayMs">> = {}): Promise<TestSink> {
  return CreateTestSink.reply.parse(await sinks.create(CreateTestSink.data.parse(script), tester));
}

async function page({ id }: TestSink, query: { limit?: number; cursor?: string } = {}) {
  const parsed = ListTestSinkRequests.data.parse({ id, ...query });
  return ListTestSinkRequests.reply.parse(await sinks.list(parsed, tester));
}

async function post({ url }: TestSink, body: Uint8Array | string, headers: Record<string, string> = {}) {
  // Bytes, so that fetch adds no content type.
  const response = await fetch(url, { method: "POST", body: Buffer.from(body), headers });
  await response.arrayBuffer();
  return response.status;
}

describe("a sink whose row another session has locked", () => {
  it("delays no request to another one", async () => {
    const [locked, free] = [await createSink(), await createSink()];
    const session = await connectTo(units.adminUrl);
    await session.query("begin");
    await session.query("select 1 from webhooks.test_sink where id = $1 for update", [uuidOf(locked.id)]);
    const delayed = Array.from({ length: 20 }, () => post(locked, "{}"));
    expect(await post(free, "{}")).toBe(200);
    await session.end();
    await Promise.all(delayed);
    expect(await post(locked, "{}")).toBe(200);
  });
});

describe("a request to a sink", () => {
  it.each([
    ["unusually formatted JSON", "application/json", '{ "b":1,\n "a" : "\\u00e9", "b":2 }'],
    ["malformed JSON", "application/json", '{"unfinished":'],
    ["an empty body with the type JSON", "application/json", ""],
    ["JSON with a charset", "application/json; charset=utf-8", "[1]"],
    ["a form", "application/x-www-form-urlencoded", "a=1&b=%zz"],
    ["text", "text/plain", "hello"],
    ["binary data", "application/octet-stream", Buffer.from([0, 255, 254, 10, 13, 0])],
    ["malformed multipart", "multipart/form-data", "no boundary"],
    ["an unknown type", "application/vnd.nobody+x", "?"],
    ["no content type", undefined, "untyped"],
  ])("is stored byte by byte: %s", async (_what, type, body) => {
    const sink = await createSink();
    expect(await post(sink, body, type === undefined ? {} : { "content-type": type })).toBe(200);
    const { data } = await page(sink);
    expect(data).toHaveLength(1);
    expect(Buffer.from(data[0]?.bodyBase64 ?? "", "base64")).toEqual(Buffer.from(body));
    expect(data[0]?.headers["content-type"]).toBe(type);
    expect(data[0]).toMatchObject({
      receivedAt: "2026-03-04T17:00:00.000Z",
      verifiedByEndpointId: null,
      respondedStatus: 200,
    });
  });

  it("with a malformed signature of the right length is verified by no endpoint", async () => {
    const sink = await createSink();
    await webhooks.createEndpoint(tester, { url: sink.url });
    const [outsideAscii, anotherCase] = [`é${"a".repeat(63)}`, "A".repeat(64)];
    for (const signature of [outsideAscii, anotherCase, "", ","]) {
      expect(await post(sink, "{}", { "x-service-signature": signature })).toBe(200);
    }
    const { data } = await page(sink);
    expect(data.map((request) => request.verifiedByEndpointId)).toEqual([null, null, null, null]);
  });

  it("may have half a mebibyte, which can be listed again; a larger one is refused with 413", async () => {
    const sink = await createSink();
    expect(await post(sink, Buffer.alloc(512 * 1024 + 1, 7))).toBe(413);
    for (const filling of [1, 2, 3]) expect(await post(sink, Buffer.alloc(512 * 1024, filling))).toBe(200);
    // Each page has one such body: two would exceed the limit of a message between services.
    const seen: (number | undefined)[] = [];
    let cursor: string | undefined;
    for (;;) {
      const { data, nextCursor } = await page(sink, cursor === undefined ? {} : { cursor });
      expect(data).toHaveLength(1);
      expect(JSON.stringify(data).length).toBeLessThan(1024 * 1024);
      seen.push(Buffer.from(data[0]?.bodyBase64 ?? "", "base64").at(-1));
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    expect(seen).toEqual([3, 2, 1]);
  });

  it("gets 404 if the sink does not exist", async () => {
    const { url } = await createSink();
    const base = url.slice(0, url.lastIndexOf("/"));
    const statuses = [newId("sink"), "sink_nothing", newId("we")].map(async (id) => {
      const response = await fetch(`${base}/${id}`, { method: "POST", body: "{}" });
      return response.status;
    });
    expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
  });
});

describe("a scripted sink", () => {
  it("answers each status once and repeats the last one", async () => {
    const sink = await createSink({ respond: [500, 503, 204] });
    const statuses = [];
    for (const body of ["1", "2", "3", "4"]) statuses.push(await post(sink, body));
    expect(statuses).toEqual([500, 503, 204, 204]);
    const { data } = await page(sink);
    expect(data.map(({ respondedStatus }) => respondedStatus)).toEqual([204, 204, 503, 500]);
  });

  it("delays its answer after it has stored the request", async () => {
    const sink = await createSink({ delayMs: 5_000 });
    let status: number | undefined;
    const posted = post(sink, "{}").then((answered) => {
      status = answered;
    });
    await until("the request", async () => ((await page(sink)).data.length === 1 ? true : undefined));
    expect(status).toBeUndefined();
    // Advanced more than once, because the delay starts only after that commit.
    await until("the answer", () => {
      clock.advance(5_000);
      return status;
    });
    await posted;
    expect(status).toBe(200);
  });

  it("stores the newest 1,000 requests", async () => {
    const sink = await createSink();
    await units.database.sql(
      `insert into test_sink_request (sink_id, number, received_at, headers, body, verified_by, responded_status)
       select $1, number, now(), '{}', number::text::bytea, null, 200
       from generate_series(1, 1000) as number`,
      [uuidOf(sink.id)],
    );
    await units.database.sql("update test_sink set received = 1000 where id = $1", [uuidOf(sink.id)]);
    await post(sink, "the newest");
    const [stored] = await units.database.sql(
      `select count(*)::int as count, min(number) as oldest, max(number) as newest
       from test_sink_request
       where sink_id = $1`,
      [uuidOf(sink.id)],
    );
    expect(stored).toEqual({ count: 1000, oldest: 2, newest: 1001 });
    const { data, hasMore } = await page(sink, { limit: 2 });
    expect(data.map(({ bodyBase64 }) => Buffer.from(bodyBase64, "base64").toString())).toEqual([
      "the newest",
      "1000",
    ]);
    expect(hasMore).toBe(true);
  });
});

describe("a delivery in a sink", () => {
  it("shows which endpoint's secret signed it", async () => {
    const sink = await createSink({ respond: [500, 200] });
    await webhooks.createEndpoint(tester, {
      url: "http://127.0.0.1:9/unused",
      eventTypes: ["payment_order.failed"],
    });
    const endpoint = await webhooks.createEndpoint(tester, { url: sink.url });
    await webhooks.deliver(statusChange(tester));
    clock.advance(60_000);
    await webhooks.sendDue();
    const { data } = await page(sink);
    expect(data.map(({ verifiedByEndpointId }) => verifiedByEndpointId)).toEqual([endpoint.id, endpoint.id]);
    expect(data[1]?.bodyBase64).toBe(data[0]?.bodyBase64);
    expect(await webhooks.delivery(tester)).toMatchObject({ status: "Delivered", attemptCount: 2 });
  });

  it("is verified by no endpoint if a byte was changed or another book signed it", async () => {
    const sink = await createSink();
    const own = await webhooks.createEndpoint(tester, { url: sink.url });
    const stranger = requestContext();
    await webhooks.createEndpoint(stranger, { url: sink.url });
    await webhooks.deliver(statusChange(stranger), statusChange(tester));
    const before = (await page(sink)).data;
    expect(
      before.map(({ verifiedByEndpointId }) => verifiedByEndpointId).filter((id) => id !== null),
    ).toEqual([own.id]);
    expect(before).toHaveLength(2);
    const genuine = before.find(({ verifiedByEndpointId }) => verifiedByEndpointId !== null);
    const body = Buffer.from(genuine?.bodyBase64 ?? "", "base64");
    body[body.length - 1] = 0x20;
    await post(sink, body, { "x-service-signature": genuine?.headers["x-service-signature"] ?? "" });
    expect((await page(sink)).data[0]?.verifiedByEndpointId).toBeNull();
  });
});

describe("a sink", () => {
  it("can only be created with a test key", async () => {
    const live = requestContext({ mode: "Live" });
    await expect(async () => sinks.create({ respond: [200], delayMs: 0 }, live)).rejects.toMatchObject({
      code: "simulation_requires_test_key",
    });
  });

  it("of another book is not found", async () => {
    const sink = await createSink();
    await expect(sinks.list({ id: sink.id, limit: 10 }, requestContext())).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(sinks.list({ id: "sink_nothing", limit: 10 }, tester)).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
