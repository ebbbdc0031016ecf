import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventEnvelope } from "../../../contracts/http/webhooks/webhooks.ts";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import { LoopbackReceiver } from "../../../test/stack/loopback-receiver.ts";
import { openUnits, type TestUnits } from "../../../test/stack/units.ts";
import { aChange, ManualClock, someAsk, WebhooksInstance } from "../../../test/stack/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

const clock = new ManualClock();
let server: TestDatabase;
let units: TestUnits;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
beforeAll(async () => {
  server = await createDatabase("webhooks");
  units = await openUnits(server.urlOf("webhooks"));
  webhooks = new WebhooksInstance(units, clock);
});
afterAll(async () => {
  await webhooks.stop();
  await units.close();
  await server.drop();
});
beforeEach(async () => {
  payer = someAsk();
  receiver = await LoopbackReceiver.open();
  return () => receiver.close();
});

describe("a change of an order", () => {
  it("is on its way as soon as it is committed, without waiting for a turn of the loop", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.tell(aChange(payer));
    await webhooks.sender.settled();
    expect(receiver.requests).toHaveLength(1);
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Delivered",
      eventType: "payment_order.completed",
      attemptCount: 1,
      nextAttemptAt: null,
      createdAt: "2026-03-04T17:00:00.000Z",
    });
  });

  it("is not told before the commit, nor when there is none", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const broken = units.units.run(async (unit) => {
      await webhooks.fanOut.onMessages([aChange(payer)], unit);
      await webhooks.sender.settled();
      throw new Error("the commit fails");
    });
    await expect(broken).rejects.toThrow("the commit fails");
    await webhooks.sender.settled();
    expect(receiver.requests).toEqual([]);
    expect(await webhooks.deliveries(payer)).toEqual([]);
  });

  it("arrives as the documented envelope, at the endpoint's own path and query", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = aChange(payer, { externalId: "invoice-7" });
    await webhooks.tell(change);
    await webhooks.sender.settled();
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

  it("is signed with the endpoint's own secret, both ways, over the bytes that arrive", async () => {
    const { signingSecret } = await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = aChange(payer);
    await webhooks.tell(change);
    await webhooks.sender.settled();
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

describe("who is told", () => {
  it("is every endpoint of the book that asked for the type, and nobody else", async () => {
    const stranger = someAsk();
    const everything = await webhooks.createEndpoint(payer, { url: receiver.url, eventTypes: ["*"] });
    const documented = await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.createEndpoint(payer, { url: receiver.url, eventTypes: ["payment_order.failed"] });
    await webhooks.createEndpoint(stranger, { url: receiver.url, eventTypes: ["*"] });
    await webhooks.tell(aChange(payer), aChange(payer, { status: "Processing", sequence: 2 }));
    await webhooks.sender.settled();
    const told = (await webhooks.deliveries(payer)).map(
      (delivery) => `${delivery.endpointId} ${delivery.eventType}`,
    );
    expect(new Set(told)).toEqual(
      new Set([
        `${documented.id} payment_order.completed`,
        `${everything.id} payment_order.completed`,
        `${everything.id} payment_order.processing`,
      ]),
    );
    expect(await webhooks.deliveries(stranger)).toEqual([]);
    expect(receiver.requests).toHaveLength(3);
  });

  it("is nobody about a draft", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url, eventTypes: ["*"] });
    await webhooks.tell(aChange(payer, { status: "Draft", previousStatus: "Draft", sequence: 1 }));
    expect(await webhooks.deliveries(payer)).toEqual([]);
  });

  it("counts an endpoint from the event on that follows its creation", async () => {
    await webhooks.tell(aChange(payer));
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const second = aChange(payer);
    await webhooks.tell(second);
    await webhooks.sender.settled();
    expect((await webhooks.delivery(payer)).eventId).toBe(idOf("evt", second.id));
  });
});

describe("a change that is said again", () => {
  it("is one event when the same message comes twice", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = aChange(payer);
    await webhooks.tell(change);
    await webhooks.tell(change);
    await webhooks.sender.settled();
    expect(receiver.requests).toHaveLength(1);
    expect((await webhooks.delivery(payer)).eventId).toBe(idOf("evt", change.id));
  });

  it("is one event also under a fresh message id: the first one's", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = aChange(payer);
    await webhooks.tell(change);
    await webhooks.tell({ ...change, id: newUuid() });
    await webhooks.sender.settled();
    expect(receiver.requests).toHaveLength(1);
    expect((await webhooks.delivery(payer)).eventId).toBe(idOf("evt", change.id));
  });

  it("is one event when both come in one batch", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = aChange(payer);
    await webhooks.tell(change, { ...change, id: newUuid() });
    await webhooks.sender.settled();
    expect(receiver.requests).toHaveLength(1);
    expect(await webhooks.deliveries(payer)).toHaveLength(1);
  });

  it("is one event when two instances hear it at the same moment", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const other = new WebhooksInstance(units, clock);
    const changes = Array.from({ length: 20 }, () => aChange(payer));
    const resaid = changes.map((change) => ({ ...change, id: newUuid() })).reverse();
    await Promise.all([webhooks.tell(...changes), other.tell(...resaid)]);
    await Promise.all([webhooks.sender.settled(), other.sender.settled()]);
    expect(await webhooks.deliveries(payer)).toHaveLength(20);
    expect(receiver.requests).toHaveLength(20);
    await other.stop();
  });

  it("is another event when it is the order's next one", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    const change = aChange(payer);
    await webhooks.tell(change, {
      ...change,
      id: newUuid(),
      data: { ...change.data, sequence: 4, late: true },
    });
    await webhooks.sender.settled();
    const types = (await webhooks.deliveries(payer)).map(({ eventType }) => eventType);
    expect(types.sort()).toEqual(["payment_order.completed", "payment_order.returned"]);
  });
});
