import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { until } from "../../../test/stack/until.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { serviceSignature, signingSecret } from "../endpoints/domain/signature.ts";

const units = await forThisFile(openFreshUnits("webhooks"));
let clock: TestClock;
let webhooks: WebhooksInstance;
let other: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
let id: string;
let reads = 0;
/** How much later it is when an endpoint has been read. */
let readTakesMs = 0;
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  reads = 0;
  readTakesMs = 0;
  const counting = {
    sql: async (text: string, values: unknown[]) => {
      const rows = await units.database.sql(text, values);
      if (!text.includes("from endpoint e")) return rows;
      reads += 1;
      clock.advance(readTakesMs);
      return rows;
    },
    transaction: units.database.transaction.bind(units.database),
  } as unknown as typeof units.database;
  // One request at a time, so that the others wait in memory.
  const oneByOne = { config: { WEBHOOK_CONCURRENCY_PER_ENDPOINT: "1" }, database: counting };
  webhooks = new WebhooksInstance(units, clock, oneByOne);
  other = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
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

const events = (count: number) => Array.from({ length: count }, () => statusChange(payer));

/** Two deliveries: the receiver has the first and does not answer; the second waits in memory. */
async function oneUnderWayOneWaiting(): Promise<string> {
  const created = await webhooks.createEndpoint(payer, { url: receiver.url });
  id = created.id;
  receiver.holds();
  await webhooks.consume(...events(2));
  await receiver.has(1);
  return created.signingSecret;
}

async function release(): Promise<void> {
  clock.advance(101);
  receiver.releases();
  await webhooks.sender.whenIdle();
}

describe("a change of an endpoint while deliveries wait in memory", () => {
  it("shows in the next attempt: a new secret signs it, and a retired one no longer does", async () => {
    const first = await oneUnderWayOneWaiting();
    const answer = await other.secrets.rotate({ id, overlapHours: 0 }, payer);
    const { signingSecret: second } = answer as { signingSecret: string };
    await release();
    const signatures = receiver.requests.map(({ headers }) => headers["x-service-signature"]);
    const [before, after] = receiver.requests;
    expect(signatures).toEqual([
      serviceSignature(signingSecret(first), before!.body),
      serviceSignature(signingSecret(second), after!.body),
    ]);
  });

  it("sends them to the new url, and ends the attempt under way at the old one", async () => {
    await oneUnderWayOneWaiting();
    const moved = await LoopbackReceiver.open();
    await other.updates.update({ id, change: { url: moved.url } }, payer);
    await release();
    expect([receiver.requests.length, moved.requests.length]).toEqual([1, 1]);
    expect((await webhooks.deliveries(payer)).map(({ status }) => status)).toEqual([
      "Delivered",
      "Delivered",
    ]);
    await moved.close();
  });

  it("that disables it lets them rest, until it is enabled", async () => {
    await oneUnderWayOneWaiting();
    await other.updates.update({ id, change: { status: "Disabled" } }, payer);
    await release();
    expect(receiver.requests).toHaveLength(1);
    expect((await webhooks.deliveries(payer)).map(({ status }) => status).toSorted()).toEqual([
      "Delivered",
      "Pending",
    ]);
    await other.updates.update({ id, change: { status: "Enabled" } }, payer);
    expect(await other.sendDue()).toBe(1);
    expect(receiver.requests).toHaveLength(2);
  });

  it("that deletes it sends them no more: they are Cancelled", async () => {
    await oneUnderWayOneWaiting();
    await other.deletions.delete({ id }, payer);
    await release();
    expect(receiver.requests).toHaveLength(1);
    expect((await webhooks.deliveries(payer)).map(({ status }) => status).toSorted()).toEqual([
      "Cancelled",
      "Delivered",
    ]);
  });
});

describe("after the host's clock was set back", () => {
  it("an endpoint is read again for the next attempt, and what is read applies", async () => {
    await oneUnderWayOneWaiting();
    const moved = await LoopbackReceiver.open();
    await other.updates.update({ id, change: { url: moved.url } }, payer);
    clock.setBack(60_000);
    await release();
    expect([receiver.requests.length, moved.requests.length]).toEqual([1, 1]);
    await moved.close();
  });

  it("a rate limit lets the next attempt start after a second", async () => {
    await other.createEndpoint(payer, { url: receiver.url, ratePerSecond: 1 });
    await other.deliver(...events(1));
    clock.setBack(60_000);
    await other.deliver(...events(1));
    expect(receiver.requests).toHaveLength(1);
    clock.advance(1_000);
    await receiver.has(2);
    await other.sender.whenIdle();
  });
});

describe("an endpoint", () => {
  it("is not read again for an attempt that begins within 100 ms of its last read", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(...events(50));
    expect([receiver.requests.length, reads]).toEqual([50, 0]);
  });

  it("is read once for an attempt, even if the reading takes longer than 100 ms", async () => {
    await oneUnderWayOneWaiting();
    readTakesMs = 150;
    await release();
    expect([receiver.requests.length, reads]).toEqual([2, 1]);
  });

  it("is read once for all attempts of the next 100 ms", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    receiver.holds();
    await webhooks.consume(...events(50));
    await receiver.has(1);
    await release();
    expect([receiver.requests.length, reads]).toEqual([50, 1]);
  });
});

describe("a rate limit", () => {
  it("starts no more attempts within a second, and sends all of them", async () => {
    const wide = new WebhooksInstance(units, clock);
    await wide.createEndpoint(payer, { url: receiver.url, ratePerSecond: 2 });
    await wide.deliver(...events(5));
    expect(receiver.requests).toHaveLength(2);
    clock.advance(999);
    await wide.sender.whenIdle();
    expect(receiver.requests).toHaveLength(2);
    clock.advance(1);
    await until("four requests", async () => {
      await wide.sender.whenIdle();
      return receiver.requests.length >= 4 ? true : undefined;
    });
    expect(receiver.requests).toHaveLength(4);
    clock.advance(1_000);
    await receiver.has(5);
    await wide.sender.whenIdle();
    expect((await wide.deliveries(payer)).map(({ status }) => status)).toEqual(
      Array.from({ length: 5 }, () => "Delivered"),
    );
    await wide.stop();
  });

  it("leaves what it can't send in a few seconds to other instances", async () => {
    const wide = new WebhooksInstance(units, clock);
    await wide.createEndpoint(payer, { url: receiver.url, ratePerSecond: 1 });
    await wide.deliver(...events(8));
    // One was sent, four wait in memory, and three in the table.
    expect(await other.sendDue()).toBe(3);
    expect(receiver.requests).toHaveLength(2);
    await wide.stop();
  });

  it("can be taken away: what waits is sent", async () => {
    const { id: endpointId } = await other.createEndpoint(payer, { url: receiver.url, ratePerSecond: 1 });
    await other.deliver(...events(5));
    expect(receiver.requests).toHaveLength(1);
    await webhooks.updates.update({ id: endpointId, change: { ratePerSecond: null } }, payer);
    clock.advance(1_000);
    await receiver.has(5);
    await other.sender.whenIdle();
  });
});
