import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import { newId, newUuid } from "../../../contracts/ids/ids.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { TestClock, requestContext, WebhooksInstance } from "../../../test/stack/services/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { serviceSignature, signingSecret } from "../endpoints/domain/signature.ts";

const units = await forThisFile(openFreshUnits("webhooks"));
let clock: TestClock;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
let id: string;
let first: string;
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  const eventTypes = ["payment_order.failed"] as const;
  const created = await webhooks.createEndpoint(payer, { url: receiver.url, eventTypes: [...eventTypes] });
  ({ id, signingSecret: first } = created);
  return async () => {
    receiver.releases();
    await webhooks.stop();
    await receiver.close();
  };
});

async function test(secret?: "Newest", context = payer): Promise<WebhookDelivery> {
  const answer = await webhooks.tests.test({ id, secret }, context);
  await webhooks.sender.whenIdle();
  return answer instanceof IdempotentReplay ? answer.value : answer;
}
async function rotated(): Promise<string> {
  const answer = await webhooks.secrets.rotate({ id, overlapHours: 24 }, payer);
  return (answer as { signingSecret: string }).signingSecret;
}
const signatureOf = (secret: string, body: Buffer) => serviceSignature(signingSecret(secret), body);
const signaturesAt = (index: number) => {
  const { headers, body } = receiver.requests[index]!;
  return { body, signatures: String(headers["x-service-signature"]).split(",") };
};

describe("the test of an endpoint", () => {
  it("sends it a signed test.event, whatever its types, and no other endpoint", async () => {
    const other = await LoopbackReceiver.open();
    await webhooks.createEndpoint(payer, { url: other.url, eventTypes: ["*"] });
    const answer = await test();
    expect(answer).toMatchObject({
      endpointId: id,
      eventType: "test.event",
      status: "Pending",
      attempts: [],
    });
    expect(await webhooks.get(payer, answer.id)).toMatchObject({
      status: "Delivered",
      attempts: [{ responseStatus: 204 }],
    });
    const { body, signatures } = signaturesAt(0);
    expect(JSON.parse(body.toString())).toEqual({
      id: answer.eventId,
      type: "test.event",
      created_at: "2026-03-04T17:00:00.000Z",
      data: {},
    });
    expect(signatures).toEqual([signatureOf(first, body)]);
    const read = await webhooks.events.get({ id: answer.eventId, apiVersion: "v1" }, payer);
    expect(read).toMatchObject({ type: "test.event", created_at: "2026-03-04T17:00:00.000Z" });
    expect(read.data).toEqual({});
    expect([receiver.requests.length, other.requests.length]).toEqual([1, 0]);
    await other.close();
  });

  it("makes one attempt; a retry makes another", async () => {
    receiver.answers(500, 204);
    const { id: deliveryId } = await test();
    expect(await webhooks.get(payer, deliveryId)).toMatchObject({ status: "DeadLettered", attemptCount: 1 });
    await webhooks.retry(payer, deliveryId);
    await webhooks.sender.whenIdle();
    expect(await webhooks.get(payer, deliveryId)).toMatchObject({ status: "Delivered", attemptCount: 2 });
  });

  it("is signed by all active secrets, or by the newest alone", async () => {
    const second = await rotated();
    await test();
    await test("Newest");
    const [all, newest] = [signaturesAt(0), signaturesAt(1)];
    expect(all.signatures).toEqual([signatureOf(second, all.body), signatureOf(first, all.body)]);
    expect(newest.signatures).toEqual([signatureOf(second, newest.body)]);
  });

  it("that the newest secret alone signs stays so in a retry, and after a crash", async () => {
    const second = await rotated();
    const { id: deliveryId } = await test("Newest");
    await webhooks.retry(payer, deliveryId);
    await webhooks.sender.whenIdle();
    expect(signaturesAt(1).signatures).toEqual([signatureOf(second, signaturesAt(1).body)]);
    // As an instance leaves it that crashes before it records the attempt.
    await units.database.sql(
      `update delivery
       set status = 'Pending', attempt_count = 0, acknowledged_at = null, claimable_at = created_at
       where newest_secret_only`,
    );
    await webhooks.sendDue();
    expect(signaturesAt(2).signatures).toEqual([signatureOf(second, signaturesAt(2).body)]);
  });

  it("says the time of the book", async () => {
    await webhooks.setClock(payer, 1, {
      mode: "Manual",
      standsAt: new Date("2038-01-04T15:00:00Z"),
      leadMs: 0,
    });
    await test();
    expect(JSON.parse(signaturesAt(0).body.toString())).toMatchObject({
      created_at: "2038-01-04T15:00:00.000Z",
    });
  });

  it("is sent once per Idempotency-Key", async () => {
    const keyed = { ...payer, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const sent = await test(undefined, keyed);
    expect(await test(undefined, keyed)).toEqual(sent);
    expect(receiver.requests).toHaveLength(1);
  });

  it("is refused for a disabled endpoint, and says what to do", async () => {
    await webhooks.updates.update({ id, change: { status: "Disabled" } }, payer);
    await expect(test()).rejects.toMatchObject({
      code: "invalid_state_transition",
      message: `The endpoint is Disabled, and nothing is sent to it. Enable it with PATCH /v1/webhook-endpoints/${id}, then test it.`,
      context: { resourceId: id, currentStatus: "Disabled", allowedStatuses: ["Enabled"] },
    });
    expect(await webhooks.deliveries(payer)).toEqual([]);
  });

  it("is not found for another tenant's endpoint, that of another mode, or a deleted one", async () => {
    const { tenant } = payer.caller;
    for (const stranger of [requestContext(), requestContext({ tenant, mode: "Live" })]) {
      await expect(test(undefined, stranger)).rejects.toMatchObject({ code: "not_found" });
    }
    await webhooks.deletions.delete({ id }, payer);
    await expect(test()).rejects.toMatchObject({ code: "not_found" });
    id = newId("we");
    await expect(test()).rejects.toMatchObject({ code: "not_found" });
    expect(receiver.requests).toEqual([]);
  });
});
