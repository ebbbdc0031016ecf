import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { newId, newUuid } from "../../../contracts/ids/ids.ts";
import { RetryDelivery } from "../../../contracts/messages/webhooks.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";

let clock: TestClock;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
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

async function firstAttempt(): Promise<string> {
  await webhooks.deliver(statusChange(payer));
  return (await webhooks.delivery(payer)).id;
}

async function deadLettered(): Promise<string> {
  receiver.answers(500);
  const id = await firstAttempt();
  clock.advance(60_000);
  await webhooks.sendDue();
  clock.advance(300_000);
  await webhooks.sendDue();
  expect(await webhooks.get(payer, id)).toMatchObject({ status: "DeadLettered", attemptCount: 3 });
  return id;
}

async function retry(id: string, context: RequestContext = payer) {
  const answer = RetryDelivery.reply.parse(await webhooks.retry(context, id));
  await webhooks.sender.whenIdle();
  return answer;
}

describe("a manual retry", () => {
  it("sends the same bytes at once, without waiting for the pause to end", async () => {
    receiver.answers(500, 204);
    const id = await firstAttempt();
    expect(await retry(id)).toMatchObject({ id, status: "Retrying", attemptCount: 1 });
    expect(await webhooks.get(payer, id)).toMatchObject({ status: "Delivered", attemptCount: 2 });
    const [first, second] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    clock.advance(60_000);
    expect(await webhooks.sendDue()).toBe(0);
  });

  it("sends a delivery again that was delivered", async () => {
    const id = await firstAttempt();
    expect(await webhooks.get(payer, id)).toMatchObject({ status: "Delivered", attemptCount: 1 });
    await retry(id);
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
    expect(await webhooks.get(payer, id)).toMatchObject({ status: "Delivered", attemptCount: 2 });
  });

  it("makes one attempt at a dead-lettered delivery", async () => {
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

  it("of an acknowledged delivery sends it once more and leaves it Delivered even if it fails", async () => {
    const id = await firstAttempt();
    receiver.answers(500);
    await retry(id);
    expect(await webhooks.get(payer, id)).toMatchObject({
      status: "Delivered",
      attemptCount: 2,
      nextAttemptAt: null,
    });
    expect(receiver.requests).toHaveLength(2);
  });

  it("of an acknowledged delivery makes one attempt, although two were left", async () => {
    const id = await firstAttempt();
    receiver.answers(500);
    await retry(id);
    clock.advance(24 * 3_600_000);
    expect(await webhooks.sendDue()).toBe(0);
  });

  it("sends nothing while an attempt is in flight", async () => {
    receiver.holds();
    await webhooks.consume(statusChange(payer));
    await receiver.has(1);
    const { id } = await webhooks.delivery(payer);
    expect(RetryDelivery.reply.parse(await webhooks.retry(payer, id))).toMatchObject({ status: "Pending" });
    receiver.releases();
    await webhooks.sender.whenIdle();
    expect(receiver.requests).toHaveLength(1);
  });

  it("happens once per Idempotency-Key", async () => {
    const id = await deadLettered();
    const context: RequestContext = { ...payer, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const first = await retry(id, context);
    expect(await webhooks.retry(context, id)).toEqual(new IdempotentReplay(first));
    await webhooks.sender.whenIdle();
    expect(receiver.requests).toHaveLength(4);
    const changed: RequestContext = {
      ...context,
      idempotency: { key: context.idempotency?.key ?? "", fingerprint: "f2" },
    };
    await expect(webhooks.retry(changed, id)).rejects.toMatchObject({ code: "idempotency_key_reused" });
  });

  it("is made by another instance if its own crashes", async () => {
    const id = await deadLettered();
    const crashing = new WebhooksInstance(units, clock);
    await crashing.stop();
    await crashing.retry(payer, id);
    receiver.answers(204);
    clock.advance(40_000);
    expect(await webhooks.sendDue()).toBe(1);
    expect(await webhooks.get(payer, id)).toMatchObject({ status: "Delivered", attemptCount: 4 });
  });
});

describe("a delivery of another book, or none", () => {
  it("can't be read, retried or listed", async () => {
    const id = await firstAttempt();
    const stranger = requestContext();
    await expect(webhooks.get(stranger, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(webhooks.retry(stranger, id)).rejects.toMatchObject({ code: "not_found" });
    expect(await webhooks.deliveries(stranger)).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
  });

  it("is not found when its endpoint is disabled either: nobody learns that it exists", async () => {
    const id = await firstAttempt();
    const { endpointId } = await webhooks.get(payer, id);
    await webhooks.updates.update({ id: endpointId, change: { status: "Disabled" } }, payer);
    await expect(webhooks.retry(requestContext(), id)).rejects.toMatchObject({ code: "not_found" });
  });

  it.each(["wh_nothing", "", newId("we"), newId("wh")])("is not found for %j", async (id) => {
    await expect(webhooks.get(payer, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(webhooks.retry(payer, id)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a delivery with many attempts", () => {
  it("shows its newest ten attempts in a list, and all on its own", async () => {
    const id = await firstAttempt();
    for (let more = 0; more < 11; more += 1) await retry(id);
    const [listed] = await webhooks.deliveries(payer);
    expect(listed?.attemptCount).toBe(12);
    expect(listed?.attempts).toHaveLength(10);
    expect(listed?.attempts.every((attempt) => attempt.responseBody === null)).toBe(true);
    const single = await webhooks.get(payer, id);
    expect(single.attemptCount).toBe(12);
    expect(single.attempts).toHaveLength(12);
    expect(listed?.attempts.at(-1)?.at).toBe(single.attempts.at(-1)?.at);
  });
});
