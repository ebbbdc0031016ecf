import { once } from "node:events";
import { connect, type Server, type Socket } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { TestSink } from "../../../contracts/http/webhooks/test-sinks.ts";
import { SinksInstance, type SinkQuery, type SinkScript } from "../../../test/stack/services/sinks.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  testCipher,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { serviceSignature, signingSecret } from "../endpoints/domain/signature.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

const clock = new TestClock();
let tester: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
const sinks = await forThisFile(SinksInstance.start(units, clock));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
beforeEach(() => {
  tester = requestContext();
});

const createSink = (script: SinkScript = {}) => sinks.create(tester, script);
const page = ({ id }: TestSink, query: SinkQuery = {}) => sinks.requests(tester, id, query);

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

  it("holds at most 200 requests in memory, and answers 503 to more", async () => {
    const locked = await createSink();
    const session = await connectTo(units.adminUrl);
    await session.query("begin");
    await session.query("select 1 from webhooks.test_sink where id = $1 for update", [uuidOf(locked.id)]);
    const statuses: number[] = [];
    const send = async () => void statuses.push(await post(locked, "{}"));
    const posted = Array.from({ length: 200 }, send);
    // The first ones may end while the last ones still come, because each waits half a second for the row at most.
    await until("one is refused", () => statuses.includes(503) || void posted.push(send()));
    await session.end();
    await Promise.all(posted);
    expect(statuses.filter((status) => status !== 503).length).toBeGreaterThanOrEqual(200);
    expect(await post(locked, "{}")).toBe(200);
  });
});

/** Sends the text, then breaks off. Resolves when the sinks' server has noticed. */
async function breakOff(sink: TestSink, text: string): Promise<void> {
  const server: Server = sinks.app.getHttpServer();
  const [accepted, begun] = [once(server, "connection"), once(server, "request")];
  const { hostname, port } = new URL(sink.url);
  const socket = connect(Number(port), hostname, () => socket.write(text));
  const [serverSide] = (await accepted) as [Socket];
  const closed = new Promise<void>((resolve) => serverSide.once("close", () => resolve()));
  await begun;
  socket.destroy();
  await closed;
}

it("a caller that breaks off in the middle of its body logs no error, and leaves no request", async () => {
  const sink = await createSink();
  const errors: unknown[] = [];
  sinks.app.useLogger({ log: () => undefined, warn: () => undefined, error: (error) => errors.push(error) });
  const head = `POST ${new URL(sink.url).pathname} HTTP/1.1\r\nHost: sink\r\nConnection: close\r\n`;
  await breakOff(sink, `${head}Content-Length: 10\r\n\r\nabc`);
  await breakOff(sink, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
  expect(await post(sink, "{}")).toBe(200);
  sinks.app.useLogger(false);
  expect(errors).toEqual([]);
  expect((await page(sink)).data.map(({ body }) => body)).toEqual(["{}"]);
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
      number: 1,
      body: typeof body === "string" ? body : null,
      receivedAt: "2026-03-04T17:00:00.000Z",
      verifiedByEndpointId: null,
      verifiedBySecret: null,
      respondedStatus: 200,
      answer: { status: 200 },
    });
  });

  it("is stored without the credentials that a browser or a program adds", async () => {
    const sink = await createSink();
    const credentials = {
      cookie: "__Host-session=secret",
      authorization: "Bearer secret",
      "x-api-key": "secret",
    };
    await post(sink, "{}", { ...credentials, "x-note": "kept" });
    const { data } = await page(sink);
    expect(data[0]?.headers).toMatchObject({ "x-note": "kept" });
    expect(JSON.stringify(data)).not.toContain("secret");
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

  it("shows the newest secret that verifies it", async () => {
    const sink = await createSink();
    const { id } = await webhooks.createEndpoint(tester, { url: sink.url });
    const secretOf = (version: number) =>
      signingSecret(`whsec_${Buffer.alloc(32, version).toString("base64")}`);
    for (const version of [2, 3]) {
      const { keyId, ciphertext } = testCipher.encrypt(secretOf(version).text);
      await units.database.sql(
        `insert into endpoint_secret (endpoint_id, version, key_id, ciphertext, created_at, retires_at)
         values ($1, $2, $3, $4, now(), $5)`,
        [uuidOf(id), version, keyId, ciphertext, version === 3 ? null : new Date("2026-03-05T17:00:00Z")],
      );
    }
    const signedBy = (...versions: number[]) =>
      versions.map((version) => serviceSignature(secretOf(version), Buffer.from("{}"))).join(",");
    for (const signature of [signedBy(3, 2), signedBy(2), signedBy(4)]) {
      await post(sink, "{}", { "x-service-signature": signature });
    }
    clock.advance(86_400_000);
    await post(sink, "{}", { "x-service-signature": signedBy(2) });
    const { data } = await page(sink, { after: 0 });
    expect(data.map(({ verifiedBySecret }) => verifiedBySecret)).toEqual([
      { version: 3, age: "Newest" },
      { version: 2, age: "Previous" },
      null,
      null,
    ]);
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
