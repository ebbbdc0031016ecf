import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId, newUuid } from "../../../contracts/ids/ids.ts";
import { RetryDelivery } from "../../../contracts/messages/webhooks.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import { LoopbackReceiver } from "../../../test/stack/loopback-receiver.ts";
import { openUnits, type TestUnits } from "../../../test/stack/units.ts";
import { aChange, ManualClock, someAsk, WebhooksInstance } from "../../../test/stack/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";

let server: TestDatabase;
let units: TestUnits;
let clock: ManualClock;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
beforeAll(async () => {
  server = await createDatabase("webhooks");
  units = await openUnits(server.urlOf("webhooks"));
});
afterAll(async () => {
  await units.close();
  await server.drop();
});
beforeEach(async () => {
  clock = new ManualClock();
  payer = someAsk();
  webhooks = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  await webhooks.createEndpoint(payer, { url: receiver.url });
  return async () => {
    receiver.releases();
    await webhooks.stop();
    await receiver.close();
    await units.database.sql(
      "update delivery set status = 'Delivered', claimable_at = null, lease_id = null",
    );
  };
});

async function told(): Promise<string> {
  await webhooks.tell(aChange(payer));
  await webhooks.sender.settled();
  return (await webhooks.delivery(payer)).id;
}

async function deadLettered(): Promise<string> {
  receiver.answers(500);
  const id = await told();
  clock.advance(60_000);
  await webhooks.sendsDue();
  clock.advance(300_000);
  await webhooks.sendsDue();
  expect(await webhooks.get(payer, id)).toMatchObject({ status: "DeadLettered", attemptCount: 3 });
  return id;
}

async function retry(id: string, ask: RequestContext = payer) {
  const answer = RetryDelivery.reply.parse(await webhooks.retry(ask, id));
  await webhooks.sender.settled();
  return answer;
}

describe("a retry", () => {
  it("does not wait for the pause to end, and changes nothing of what is sent", async () => {
    receiver.answers(500, 204);
    const id = await told();
    expect(await retry(id)).toMatchObject({ id, status: "Retrying", attemptCount: 1 });
    expect(await webhooks.get(payer, id)).toMatchObject({ status: "Delivered", attemptCount: 2 });
    const [first, second] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    clock.advance(60_000);
    expect(await webhooks.sendsDue()).toBe(0);
  });

  it("brings back a dead letter, for one attempt", async () => {
    const id = await deadLettered();
    expect(await retry(id)).toMatchObject({ status: "Retrying", attemptCount: 3 });
    expect(await webhooks.get(payer, id)).toMatchObject({
      status: "DeadLettered",
      attemptCount: 4,
      nextAttemptAt: null,
    });
    receiver.answers(204);
    await retry(id);
    expect(await webhooks.get(payer, id)).toMatchObject({ status: "Delivered", attemptCount: 5 });
    expect(receiver.requests).toHaveLength(5);
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
  });

  it("of what was delivered sends it once more; it stays delivered whatever comes of it", async () => {
    const id = await told();
    receiver.answers(500);
    await retry(id);
    expect(await webhooks.get(payer, id)).toMatchObject({
      status: "Delivered",
      attemptCount: 2,
      nextAttemptAt: null,
    });
    expect(receiver.requests).toHaveLength(2);
  });

  it("of what was delivered tries no more after the one attempt, although two were left", async () => {
    const id = await told();
    receiver.answers(500);
    await retry(id);
    clock.advance(24 * 3_600_000);
    expect(await webhooks.sendsDue()).toBe(0);
  });

  it("while an attempt is under way is that attempt", async () => {
    receiver.holds();
    await webhooks.tell(aChange(payer));
    await receiver.has(1);
    const { id } = await webhooks.delivery(payer);
    expect(RetryDelivery.reply.parse(await webhooks.retry(payer, id))).toMatchObject({ status: "Pending" });
    receiver.releases();
    await webhooks.sender.settled();
    expect(receiver.requests).toHaveLength(1);
  });

  it("happens once per Idempotency-Key", async () => {
    const id = await deadLettered();
    const ask: RequestContext = { ...payer, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const first = await retry(id, ask);
    expect(await webhooks.retry(ask, id)).toEqual(new IdempotentReplay(first));
    await webhooks.sender.settled();
    expect(receiver.requests).toHaveLength(4);
    const changed: RequestContext = {
      ...ask,
      idempotency: { key: ask.idempotency?.key ?? "", fingerprint: "f2" },
    };
    await expect(webhooks.retry(changed, id)).rejects.toMatchObject({ code: "idempotency_key_reused" });
  });

  it("survives the instance that took it", async () => {
    const id = await deadLettered();
    const dying = new WebhooksInstance(units, clock);
    await dying.stop();
    await dying.retry(payer, id);
    receiver.answers(204);
    clock.advance(40_000);
    expect(await webhooks.sendsDue()).toBe(1);
    expect(await webhooks.get(payer, id)).toMatchObject({ status: "Delivered", attemptCount: 4 });
  });
});

describe("a delivery of another book", () => {
  it("is not there: not to read, not to retry, not in a list", async () => {
    const id = await told();
    const stranger = someAsk();
    await expect(webhooks.get(stranger, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(webhooks.retry(stranger, id)).rejects.toMatchObject({ code: "not_found" });
    expect(await webhooks.deliveries(stranger)).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
  });

  it.each(["wh_nothing", "", newId("we"), newId("wh")])("is as little there as %j", async (id) => {
    await expect(webhooks.get(payer, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(webhooks.retry(payer, id)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a delivery that was tried very often", () => {
  it("shows its newest ten attempts in lists, which have to fit a message, and more alone", async () => {
    const id = await told();
    for (let more = 0; more < 11; more += 1) await retry(id);
    const [listed] = await webhooks.deliveries(payer);
    expect(listed?.attemptCount).toBe(12);
    expect(listed?.attempts).toHaveLength(10);
    expect(listed?.attempts.every((attempt) => attempt.responseBody === null)).toBe(true);
    const alone = await webhooks.get(payer, id);
    expect(alone.attemptCount).toBe(12);
    expect(alone.attempts).toHaveLength(12);
    expect(listed?.attempts.at(-1)?.at).toBe(alone.attempts.at(-1)?.at);
  });
});
