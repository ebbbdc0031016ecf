/** First attempts and retries of one endpoint have room of their own. */
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

const units = await forThisFile(openFreshUnits("webhooks"));
let clock: TestClock;
let receiver: LoopbackReceiver;
let payer: RequestContext;
let webhooks: WebhooksInstance;
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

const minute = 60_000;
const changes = (count: number) => Array.from({ length: count }, () => statusChange(payer));
const events = () => receiver.requests.map(({ headers }) => String(headers["webhook-id"]));

/** Fails the first attempts of so many deliveries, and has them due again while the receiver answers nothing. */
async function backlogOfRetries(count: number): Promise<ReadonlySet<string>> {
  receiver.answers(500);
  await webhooks.deliver(...changes(count));
  const failed = new Set(events());
  expect(failed.size).toBe(count);
  receiver.requests.length = 0;
  receiver.answers(204);
  receiver.holds();
  clock.advance(minute);
  await webhooks.sender.claimDueDeliveries();
  return failed;
}

describe("beside a backlog of retries", () => {
  it("first attempts have the other half of the connections at once", async () => {
    const failed = await backlogOfRetries(300);
    await receiver.has(16);
    await webhooks.consume(...changes(20));
    await receiver.has(32);
    const first = events().filter((id) => !failed.has(id));
    expect([receiver.requests.length, first.length]).toEqual([32, 16]);
    receiver.releases();
    await webhooks.sender.whenIdle();
  });

  it("first attempts that did not fit into memory are claimed before the retries are through", async () => {
    const failed = await backlogOfRetries(450);
    await receiver.has(16);
    // Their instance crashed, so they are due in the table, and later than the retries that still wait there.
    const crashing = new WebhooksInstance(units, clock);
    await crashing.consumeAndCrash(...changes(10));
    clock.advance(40_000);
    await webhooks.sender.claimDueDeliveries();
    await receiver.has(26);
    expect(events().filter((id) => !failed.has(id))).toHaveLength(10);
    receiver.releases();
    await webhooks.sender.whenIdle();
    await crashing.stop();
  });
});

describe("beside first attempts that never end", () => {
  it("retries have half of the connections", async () => {
    receiver.answers(...Array.from({ length: 40 }, () => 500), 204);
    await webhooks.deliver(...changes(40));
    const failed = new Set(events());
    receiver.requests.length = 0;
    clock.advance(minute);
    receiver.holds();
    await webhooks.consume(...changes(200));
    await receiver.has(32);
    await webhooks.sender.claimDueDeliveries();
    receiver.releases();
    await webhooks.sender.whenIdle();
    // They are not behind all first attempts: of the 32 requests after the first 32, half are retries.
    const next = events().slice(32, 64);
    expect(next.filter((id) => failed.has(id)).length).toBeGreaterThanOrEqual(12);
    expect(events()).toHaveLength(240);
  });

  it("with a single connection first attempts go first, and retries afterwards", async () => {
    const narrow = new WebhooksInstance(units, clock, { config: { WEBHOOK_CONCURRENCY_PER_ENDPOINT: 1 } });
    receiver.answers(500, 204);
    await narrow.deliver(statusChange(payer));
    const [failed = ""] = events();
    clock.advance(minute);
    receiver.holds();
    await narrow.consume(...changes(3));
    await receiver.has(2);
    await narrow.sender.claimDueDeliveries();
    receiver.releases();
    await narrow.sender.whenIdle();
    expect(events().map((id) => id === failed)).toEqual([true, false, false, false, true]);
    await narrow.stop();
  });
});
