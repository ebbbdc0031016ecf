import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
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
let other: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
let endpointId: string;
const units = await forThisFile(openFreshUnits("webhooks"));
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock);
  other = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  endpointId = (await webhooks.createEndpoint(payer, { url: receiver.url })).id;
  return async () => {
    receiver.releases();
    await webhooks.stop();
    await other.stop();
    await receiver.close();
    await units.database.sql(
      "update delivery set status = 'Delivered', claimable_at = null, lease_id = null",
    );
  };
});

const hour = 3_600_000;
const become = (status: "Enabled" | "Disabled", at = webhooks, context = payer, id = endpointId) =>
  at.updates.update({ id, change: { status } }, context);
const row = async () => {
  const [only] = await units.database.sql("select * from delivery where endpoint_id = $1", [
    uuidOf(endpointId as `we_${string}`),
  ]);
  return only;
};

async function failedOnce(): Promise<string> {
  receiver.answers(500);
  await webhooks.deliver(statusChange(payer));
  receiver.answers(204);
  return (await webhooks.delivery(payer)).id;
}

describe("a disabled endpoint", () => {
  it("is shown as Disabled, and as Enabled afterwards, whichever instance changed it", async () => {
    expect(await become("Disabled")).toMatchObject({ id: endpointId, status: "Disabled" });
    expect(await become("Disabled", other)).toMatchObject({ status: "Disabled" });
    expect(await become("Enabled", other)).toMatchObject({ status: "Enabled" });
  });

  it("is sent nothing: its delivery rests as it is in every instance, until it is enabled again", async () => {
    await failedOnce();
    await become("Disabled");
    const before = await row();
    clock.advance(24 * hour);
    expect(await Promise.all([webhooks.sendDue(), other.sendDue()])).toEqual([0, 0]);
    expect(await row()).toEqual(before);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Retrying", attemptCount: 1 });
    await become("Enabled", other);
    expect(await webhooks.sendDue()).toBe(1);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered", attemptCount: 2 });
    expect(receiver.requests).toHaveLength(2);
  });

  it("gets no delivery of an event that happens in the meantime", async () => {
    await become("Disabled");
    await webhooks.deliver(statusChange(payer));
    await become("Enabled");
    await webhooks.sendDue();
    expect(await webhooks.deliveries(payer)).toEqual([]);
    await webhooks.deliver(statusChange(payer));
    expect(await webhooks.deliveries(payer)).toHaveLength(1);
  });

  it("does not delay the deliveries of another endpoint", async () => {
    await webhooks.consumeAndCrash(statusChange(payer));
    await become("Disabled");
    const quick = await LoopbackReceiver.open();
    await webhooks.createEndpoint(payer, { url: quick.url });
    await webhooks.consumeAndCrash(statusChange(payer));
    clock.advance(hour);
    expect(await other.sendDue()).toBe(1);
    expect([quick.requests.length, receiver.requests.length]).toEqual([1, 0]);
    await quick.close();
  });

  it("has an attempt that was under way recorded, and gets no other", async () => {
    receiver.holds();
    receiver.answers(500);
    await webhooks.consume(statusChange(payer));
    await receiver.has(1);
    await become("Disabled", other);
    receiver.releases();
    await webhooks.sender.whenIdle();
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attempts: [{ responseStatus: 500 }],
    });
    clock.advance(hour);
    expect(await other.sendDue()).toBe(0);
  });

  it("that is disabled while an instance claims its delivery leaves it claimable", async () => {
    await failedOnce();
    clock.advance(hour);
    const racing = new WebhooksInstance(units, clock, {
      database: {
        sql: async (text: string, values: unknown[]) => {
          // Between the claim and the look at its endpoint.
          if (text.includes("from endpoint e")) await become("Disabled", other);
          return units.database.sql(text, values);
        },
      } as unknown as typeof units.database,
    });
    await racing.sendDue();
    expect(receiver.requests).toHaveLength(1);
    await become("Enabled");
    expect(await webhooks.sendDue()).toBe(1);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered" });
    await racing.stop();
  });

  it("takes no retry, and the refusal says what to do", async () => {
    const id = await failedOnce();
    await become("Disabled");
    const before = await row();
    await expect(webhooks.retry(payer, id)).rejects.toMatchObject({
      code: "invalid_state_transition",
      message: `The endpoint of this delivery is Disabled. Enable it with PATCH /v1/webhook-endpoints/${endpointId}, then retry.`,
      context: { resourceId: endpointId, currentStatus: "Disabled", allowedStatuses: ["Enabled"] },
    });
    expect(await row()).toEqual(before);
    await become("Enabled");
    await webhooks.retry(payer, id);
    await webhooks.sender.whenIdle();
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered" });
  });
});

describe("a change of an endpoint", () => {
  it("happens once per Idempotency-Key, also at two instances at once", async () => {
    const keyed = { ...payer, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const first = await become("Disabled", webhooks, keyed);
    await become("Enabled");
    expect(await become("Disabled", other, keyed)).toEqual(new IdempotentReplay(first));
    expect(await become("Enabled", other)).toMatchObject({ status: "Enabled" });
    const both = { ...payer, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const answers = await Promise.all([become("Disabled", webhooks, both), become("Disabled", other, both)]);
    expect(answers.filter((answer) => answer instanceof IdempotentReplay)).toHaveLength(1);
  });

  it.each([newId("we"), newId("wh"), "nothing"])("is not found for %s", async (id) => {
    await expect(become("Disabled", webhooks, payer, id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is not found for another book's endpoint, and changes nothing", async () => {
    await expect(become("Disabled", webhooks, requestContext())).rejects.toMatchObject({ code: "not_found" });
    await webhooks.deliver(statusChange(payer));
    expect(receiver.requests).toHaveLength(1);
  });
});
