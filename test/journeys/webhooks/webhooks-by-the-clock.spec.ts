/** What a tester of webhooks sees in a Manual book: retries follow its clock, and an advance waits for attempts. */
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../contracts/http/sandbox/clock.ts";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import type { WebhookDelivery, WebhookEndpoint } from "../../../contracts/http/webhooks/webhooks.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { LoopbackReceiver } from "../../stack/receivers/loopback-receiver.ts";
import { until } from "../../stack/until.ts";
import { advanceClock } from "../../world/patience/advances.ts";
import { setClock } from "../../world/patience/set-clock.ts";
import { sendPatiently } from "../../world/patience/patiently.ts";
import { World } from "../../world/world.ts";

const clock = "/v1/simulations/clock";
// Friday before Washington's birthday, 17:30 in New York: Ach waits until Tuesday.
const fridayEvening = "2038-02-12T22:30:00.000Z";

async function openManualBook() {
  const world = await World.join();
  const { maker } = world.tenant.keys;
  const send = async <T>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) =>
    (await sendPatiently<T>(world, maker, method, path, { body })).body;
  await setClock(world, maker, { mode: "Manual", startAt: fridayEvening });
  const payer = await world.payerNamed("Payroll");
  return {
    world,
    send,
    /** An endpoint that gets one event of each order: that its money is held. */
    async endpoint(url: string) {
      const body = { url, eventTypes: ["payment_order.pending"] };
      return (await send<WebhookEndpoint>("POST", "/v1/webhook-endpoints", body)).id;
    },
    async advance(body: object) {
      const { status, to } = await advanceClock(world, body);
      return { status, to };
    },
    delivery(endpoint: string, status: WebhookDelivery["status"]) {
      return until(`the delivery is ${status}`, async () => {
        const path = `/v1/webhooks?endpointId=${endpoint}`;
        const { data } = await send<{ data: WebhookDelivery[] }>("GET", path);
        return data.find((delivery) => delivery.status === status);
      });
    },
    pays: () => payer.pays(1_000, { rail: "Ach" }),
    stop: () => world.stop(),
  };
}

describe("in a Manual book", async () => {
  const book = await forThisFile(openManualBook());

  it("an endpoint that can't be reached is tried at 0, 1 and 6 minutes, as advances come there", async () => {
    const receiver = await LoopbackReceiver.open();
    const { url } = receiver;
    await receiver.close();
    const endpoint = await book.endpoint(url);
    const { id } = await book.pays();
    const first = await book.delivery(endpoint, "Retrying");
    expect(first).toMatchObject({ attemptCount: 1, nextAttemptAt: "2038-02-12T22:31:00.000Z" });

    expect(await book.advance({ nextEvent: true })).toEqual({
      status: "Done",
      to: "2038-02-12T22:31:00.000Z",
    });
    expect(await book.delivery(endpoint, "Retrying")).toMatchObject({
      attemptCount: 2,
      nextAttemptAt: "2038-02-12T22:36:00.000Z",
    });

    expect(await book.advance({ nextEvent: true })).toEqual({
      status: "Done",
      to: "2038-02-12T22:36:00.000Z",
    });
    expect(await book.delivery(endpoint, "DeadLettered")).toMatchObject({
      attemptCount: 3,
      nextAttemptAt: null,
    });

    const tuesday = "2038-02-16T05:00:00.000Z";
    expect(await book.advance({ nextEvent: true })).toEqual({ status: "Done", to: tuesday });
    expect((await book.world.order(id)).status).toBe("Processing");
    await book.send("DELETE", `/v1/webhook-endpoints/${endpoint}`);
  });

  it("an advance has ended only when the attempts of its last step have, however slow the receiver", async () => {
    const sink = { respond: [500, 200], delayMs: 700 };
    const { url } = await book.send<TestSink>("POST", "/v1/test-sinks", sink);
    const endpoint = await book.endpoint(url);
    await book.pays();
    const { nextAttemptAt } = await book.delivery(endpoint, "Retrying");
    expect(await book.advance({ to: nextAttemptAt })).toEqual({ status: "Done", to: nextAttemptAt });
    const path = `/v1/webhooks?endpointId=${endpoint}`;
    const { data } = await book.send<{ data: WebhookDelivery[] }>("GET", path);
    expect(data).toMatchObject([{ status: "Delivered", attemptCount: 2 }]);
    await book.send("DELETE", `/v1/webhook-endpoints/${endpoint}`);
  });

  it("an endpoint that fails for its days is disabled by an advance, and another endpoint gets the event", async () => {
    const { send } = book;
    const receiver = await LoopbackReceiver.open();
    const { url } = receiver;
    await receiver.close();
    const body = { url, eventTypes: ["payment_order.pending"], disableAfterDays: 1 };
    const failing = (await send<WebhookEndpoint>("POST", "/v1/webhook-endpoints", body)).id;
    const sink = await send<TestSink>("POST", "/v1/test-sinks", {});
    const types = { url: sink.url, eventTypes: ["webhook_endpoint.disabled"] };
    const subscriber = (await send<WebhookEndpoint>("POST", "/v1/webhook-endpoints", types)).id;
    await book.pays();
    await book.delivery(failing, "Retrying");
    const { now } = await send<Clock>("GET", clock);
    const aDayLater = new Date(Date.parse(now) + 86_400_000).toISOString();
    expect(await book.advance({ to: aDayLater })).toEqual({ status: "Done", to: aDayLater });
    const { status } = await send<WebhookEndpoint>("GET", `/v1/webhook-endpoints/${failing}`);
    expect(status).toBe("Disabled");
    const path = `/v1/test-sinks/${sink.id}/requests`;
    const { data } = await send<{ data: TestSinkRequest[] }>("GET", path);
    expect(data.map((request) => JSON.parse(request.body ?? "") as unknown)).toEqual([
      expect.objectContaining({
        type: "webhook_endpoint.disabled",
        created_at: aDayLater,
        data: expect.objectContaining({ id: failing, disableAfterDays: 1, failingSince: now }),
      }),
    ]);
    for (const id of [failing, subscriber]) await send("DELETE", `/v1/webhook-endpoints/${id}`);
  });

  it("a retry that waits is made as soon as the clock becomes Instant", async () => {
    const sink = { respond: [500, 200], delayMs: 0 };
    const { url } = await book.send<TestSink>("POST", "/v1/test-sinks", sink);
    const endpoint = await book.endpoint(url);
    await book.pays();
    await book.delivery(endpoint, "Retrying");
    await book.send("PUT", clock, { mode: "Instant" });
    expect(await book.delivery(endpoint, "Delivered")).toMatchObject({ attemptCount: 2 });
  });
});
