import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { eventEnvelope } from "../../../contracts/http/webhooks/webhooks.ts";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

const clock = new TestClock();
let receiver: LoopbackReceiver;
let payer: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
beforeEach(async () => {
  payer = requestContext();
  receiver = await LoopbackReceiver.open();
  return () => receiver.close();
});

describe("a status change of an order", () => {
  it("is sent right after the commit, without waiting for the worker", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(statusChange(payer));
    expect(receiver.requests).toHaveLength(1);
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Delivered",
      eventType: "payment_order.completed",
      attemptCount: 1,
      nextAttemptAt: null,
      createdAt: "2026-03-04T17:00:00.000Z",
    });
  });

  it("is not sent before the commit, nor after a rollback", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const broken = units.units.run(async (unit) => {
      await webhooks.fanOut.onMessages([statusChange(payer)], unit);
      await webhooks.sender.whenIdle();
      throw new Error("the commit fails");
    });
    await expect(broken).rejects.toThrow("the commit fails");
    await webhooks.sender.whenIdle();
    expect(receiver.requests).toEqual([]);
    expect(await webhooks.deliveries(payer)).toEqual([]);
  });

  it("arrives as the documented envelope, at the endpoint's path and query", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = statusChange(payer, { externalId: "invoice-7" });
    await webhooks.deliver(change);
    const [request] = receiver.requests;
    expect(request?.path).toBe("/hooks?from=quittance");
    expect(request?.headers["content-type"]).toBe("application/json");
    expect(eventEnvelope.parse(JSON.parse(request?.body.toString() ?? ""))).toEqual({
      id: idOf("evt", change.id),
      type: "payment_order.completed",
      created_at: "2026-03-04T16:59:59.000Z",
      data: {
        id: change.data.orderId,
        status: "Completed",
        rail: "Ach",
        amountCents: 1_250,
        currency: "USD",
        direction: "Credit",
        externalId: "invoice-7",
        previousStatus: "Processing",
        sequence: 3,
        occurredAt: "2026-03-04T16:59:59.000Z",
      },
    });
  });

  it("is signed over the sent bytes with the endpoint's secret, in both signature headers", async () => {
    const { signingSecret } = await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = statusChange(payer);
    await webhooks.deliver(change);
    const [request] = receiver.requests;
    const headers = request?.headers ?? {};
    const body = request?.body ?? Buffer.alloc(0);
    expect(headers["x-service-signature"]).toBe(
      createHmac("sha256", signingSecret).update(body).digest("hex"),
    );
    expect(headers["webhook-id"]).toBe(idOf("evt", change.id));
    expect(headers["webhook-timestamp"]).toBe("1772643600");
    const standard = createHmac("sha256", Buffer.from(signingSecret.slice("whsec_".length), "base64"))
      .update(`${idOf("evt", change.id)}.1772643600.${body.toString()}`)
      .digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${standard}`);
  });
});

describe("an event", () => {
  it("goes to every endpoint of the book that subscribes to its type, and to no other", async () => {
    const stranger = requestContext();
    const everything = await webhooks.createEndpoint(payer, { url: receiver.url, eventTypes: ["*"] });
    const documented = await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.createEndpoint(payer, { url: receiver.url, eventTypes: ["payment_order.failed"] });
    await webhooks.createEndpoint(stranger, { url: receiver.url, eventTypes: ["*"] });
    await webhooks.deliver(statusChange(payer), statusChange(payer, { status: "Processing", sequence: 2 }));
    const delivered = (await webhooks.deliveries(payer)).map(
      (delivery) => `${delivery.endpointId} ${delivery.eventType}`,
    );
    expect(new Set(delivered)).toEqual(
      new Set([
        `${documented.id} payment_order.completed`,
        `${everything.id} payment_order.completed`,
        `${everything.id} payment_order.processing`,
      ]),
    );
    expect(await webhooks.deliveries(stranger)).toEqual([]);
    expect(receiver.requests).toHaveLength(3);
  });

  it("does not exist for a draft", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url, eventTypes: ["*"] });
    await webhooks.consume(statusChange(payer, { status: "Draft", previousStatus: "Draft", sequence: 1 }));
    expect(await webhooks.deliveries(payer)).toEqual([]);
  });

  it("goes only to endpoints that were created before it", async () => {
    await webhooks.consume(statusChange(payer));
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const second = statusChange(payer);
    await webhooks.deliver(second);
    expect((await webhooks.delivery(payer)).eventId).toBe(idOf("evt", second.id));
  });
});

describe("a status change that is reported twice", () => {
  it("is one event if the same message arrives twice", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = statusChange(payer);
    await webhooks.consume(change);
    await webhooks.deliver(change);
    expect(receiver.requests).toHaveLength(1);
    expect((await webhooks.delivery(payer)).eventId).toBe(idOf("evt", change.id));
  });

  it("is one event under two message ids, with the first id", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = statusChange(payer);
    await webhooks.consume(change);
    await webhooks.deliver({ ...change, id: newUuid() });
    expect(receiver.requests).toHaveLength(1);
    expect((await webhooks.delivery(payer)).eventId).toBe(idOf("evt", change.id));
  });

  it("is one event if both messages are in one batch", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = statusChange(payer);
    await webhooks.deliver(change, { ...change, id: newUuid() });
    expect(receiver.requests).toHaveLength(1);
    expect(await webhooks.deliveries(payer)).toHaveLength(1);
  });

  it("is one event if two instances consume it at the same time", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const other = new WebhooksInstance(units, clock);
    const changes = Array.from({ length: 20 }, () => statusChange(payer));
    const repeated = changes.map((change) => ({ ...change, id: newUuid() })).reverse();
    await Promise.all([webhooks.consume(...changes), other.consume(...repeated)]);
    await Promise.all([webhooks.sender.whenIdle(), other.sender.whenIdle()]);
    expect(await webhooks.deliveries(payer)).toHaveLength(20);
    expect(receiver.requests).toHaveLength(20);
    await other.stop();
  });

  it("is another event if its sequence differs", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = statusChange(payer);
    await webhooks.deliver(change, {
      ...change,
      id: newUuid(),
      data: { ...change.data, sequence: 4, late: true },
    });
    const types = (await webhooks.deliveries(payer)).map(({ eventType }) => eventType);
    expect(types.sort()).toEqual(["payment_order.completed", "payment_order.returned"]);
  });
});
