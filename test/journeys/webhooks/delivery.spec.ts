import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import type { WebhookDelivery, WebhookEndpoint } from "../../../contracts/http/webhooks/webhooks.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

const world = await forThisFile(OwnWorld.start({ isPatient: true, env: { WEBHOOK_BACKOFF_MS: "50,100" } }));
const payer = await world.payerWith(usd("1000.00"));

interface Subscriber {
  readonly sink: TestSink;
  readonly endpoint: WebhookEndpoint & { signingSecret: string };
}

/** A receiver with scripted answers, and an endpoint that sends it events of these types. */
async function subscribe(respond: readonly number[], eventTypes?: readonly string[]): Promise<Subscriber> {
  const sink = (await world.post<TestSink>("/v1/test-sinks", { respond })).body;
  const endpoint = await world.post<Subscriber["endpoint"]>("/v1/webhook-endpoints", {
    url: sink.url,
    ...(eventTypes === undefined ? {} : { eventTypes }),
  });
  expect(endpoint.status).toBe(201);
  return { sink, endpoint: endpoint.body };
}

/** What the sink received, oldest first, once there are that many. */
function received({ sink }: Subscriber, count: number): Promise<TestSinkRequest[]> {
  return until(`${String(count)} requests at ${sink.id}`, async () => {
    const { body } = await world.get<{ data: TestSinkRequest[] }>(
      `/v1/test-sinks/${sink.id}/requests?limit=100`,
    );
    return body.data.length >= count ? body.data.toReversed() : undefined;
  });
}

const bytesOf = (request: TestSinkRequest) => Buffer.from(request.bodyBase64, "base64");
const typeOf = (request: TestSinkRequest) =>
  (JSON.parse(bytesOf(request).toString()) as { type: string }).type;
const hmac = (key: string | Buffer, content: string | Buffer) => createHmac("sha256", key).update(content);

/** The one delivery to that endpoint, in that state. */
function deliveryTo({ endpoint }: Subscriber, status: WebhookDelivery["status"]): Promise<WebhookDelivery> {
  return until(`a delivery that is ${status}`, async () => {
    const path = `/v1/webhooks?endpointId=${endpoint.id}&status=${status}`;
    const { body } = await world.get<{ data: WebhookDelivery[] }>(path);
    const [found] = body.data;
    return found === undefined
      ? undefined
      : (await world.get<WebhookDelivery>(`/v1/webhooks/${found.id}`)).body;
  });
}

const pay = async () => world.comesToRest((await payer.pays(usd("1.00"))).id);

// These tests run one after the other, because an endpoint receives the events of all its tenant's payments.
describe("a delivery", () => {
  it("is signed over its raw bytes, with the whole secret as the key", async () => {
    const subscriber = await subscribe([200], ["payment_order.completed"]);
    await pay();
    const [request] = await received(subscriber, 1);
    const signature = hmac(subscriber.endpoint.signingSecret, bytesOf(request!)).digest("hex");
    expect(request?.headers["x-service-signature"]).toBe(signature);
    expect(request?.verifiedByEndpointId).toBe(subscriber.endpoint.id);
  });

  it("shows the bytes that it sent, and where to; a list leaves them out", async () => {
    const subscriber = await subscribe([200], ["payment_order.completed"]);
    await pay();
    const [request] = await received(subscriber, 1);
    const { url } = subscriber.endpoint;
    const payload = bytesOf(request!).toString();
    const delivery = await deliveryTo(subscriber, "Delivered");
    expect(delivery).toMatchObject({ url, payload });
    const { body } = await world.get<{ data: WebhookDelivery[] }>(
      `/v1/webhooks?eventId=${delivery.eventId}&endpointId=${delivery.endpointId}`,
    );
    expect(body.data).toMatchObject([{ id: delivery.id, url: null, payload: null }]);
  });

  it("is also signed by Standard Webhooks: id, time and body, with the decoded secret", async () => {
    const subscriber = await subscribe([200], ["payment_order.completed"]);
    await pay();
    const [request] = await received(subscriber, 1);
    const {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    } = request!.headers;
    const body = bytesOf(request!).toString();
    const key = Buffer.from(subscriber.endpoint.signingSecret.replace("whsec_", ""), "base64");
    expect(signature).toBe(`v1,${hmac(key, `${String(id)}.${String(timestamp)}.${body}`).digest("base64")}`);
    expect(id).toBe((JSON.parse(body) as { id: string }).id);
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    expect(request?.headers["content-type"]).toBe("application/json");
  });

  it("is tried again after a failure, with the same bytes and the same id", async () => {
    const subscriber = await subscribe([500, 200], ["payment_order.completed"]);
    await pay();
    const [failed, delivered] = await received(subscriber, 2);
    expect([failed?.respondedStatus, delivered?.respondedStatus]).toEqual([500, 200]);
    expect(delivered?.bodyBase64).toBe(failed?.bodyBase64);
    expect(delivered?.headers["webhook-id"]).toBe(failed?.headers["webhook-id"]);

    const delivery = await deliveryTo(subscriber, "Delivered");
    expect(delivery).toMatchObject({
      eventType: "payment_order.completed",
      attemptCount: 2,
      nextAttemptAt: null,
    });
    expect(delivery.eventId).toBe(failed?.headers["webhook-id"]);
    expect(delivery.attempts.map(({ responseStatus }) => responseStatus)).toEqual([500, 200]);
  });

  it("is dead-lettered after three failures, and a retry delivers it after all", async () => {
    const subscriber = await subscribe([500, 401, 302, 200], ["payment_order.completed"]);
    await pay();
    const dead = await deliveryTo(subscriber, "DeadLettered");
    expect(dead).toMatchObject({ attemptCount: 3, nextAttemptAt: null });
    expect(dead.attempts.map(({ responseStatus }) => responseStatus)).toEqual([500, 401, 302]);
    expect(await received(subscriber, 3)).toHaveLength(3);

    expect((await world.post(`/v1/webhooks/${dead.id}/retry`)).status).toBe(202);
    const delivered = await deliveryTo(subscriber, "Delivered");
    expect(delivered).toMatchObject({ id: dead.id, eventId: dead.eventId, attemptCount: 4 });
    const requests = await received(subscriber, 4);
    expect(new Set(requests.map(({ bodyBase64 }) => bodyBase64)).size).toBe(1);
  });

  it("to an unreachable receiver is Retrying, then dead-lettered with its reason", async () => {
    const gone = await world.post<Subscriber["endpoint"]>("/v1/webhook-endpoints", {
      url: "http://127.0.0.1:1/nobody",
      eventTypes: ["payment_order.completed"],
    });
    await pay();
    const dead = await deliveryTo({ endpoint: gone.body } as Subscriber, "DeadLettered");
    expect(dead.attempts).toHaveLength(3);
    expect(dead.attempts[0]).toMatchObject({ responseStatus: null, error: expect.stringMatching(/./) });
  });
});

describe("an endpoint", () => {
  it("that names no types gets the seven documented types and no others", async () => {
    const subscriber = await subscribe([200]);
    expect(subscriber.endpoint.eventTypes).toEqual([
      "payment_order.pending",
      "payment_order.completed",
      "payment_order.failed",
      "payment_order.returned",
      "payment_order.cancelled",
      "fuel_tax.remittance_cleared",
      "fuel_tax.remittance_returned",
    ]);
    const everything = await subscribe([200], ["*"]);
    await world.comesToRest((await payer.pays(usd("1.00"), { to: "300404" })).id);
    await pay();
    // Once the endpoint for all types has its events, those for the other endpoint have been sent too.
    expect((await received(everything, 8)).map(typeOf).sort()).toEqual([
      "payment_order.completed",
      "payment_order.failed",
      "payment_order.pending",
      "payment_order.pending",
      "payment_order.processing",
      "payment_order.processing",
      "payment_order.submitted",
      "payment_order.submitted",
    ]);
    expect((await received(subscriber, 4)).map(typeOf).sort()).toEqual([
      "payment_order.completed",
      "payment_order.failed",
      "payment_order.pending",
      "payment_order.pending",
    ]);
  });

  it("shows its secret once, when it is created", async () => {
    const { endpoint } = await subscribe([200], ["test.event"]);
    expect(endpoint.signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { body } = await world.get<{ data: WebhookEndpoint[] }>("/v1/webhook-endpoints?limit=100");
    expect(body.data.find(({ id }) => id === endpoint.id)).toMatchObject({
      status: "Enabled",
      apiVersion: "v1",
    });
    expect(JSON.stringify(body)).not.toContain("whsec_");
  });

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.8/hook",
    "http://[::ffff:10.0.0.8]/hook",
    "ftp://example.com/hook",
  ])("can't be %s", async (url) => {
    const refused = await world.post<{ code: string; errors: { pointer: string }[] }>(
      "/v1/webhook-endpoints",
      { url },
    );
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_field" } });
    expect(refused.body.errors[0]?.pointer).toBe("/url");
  });
});
