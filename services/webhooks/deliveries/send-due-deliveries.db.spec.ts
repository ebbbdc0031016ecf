import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import type { TestUnits } from "../../../test/stack/database/units.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

let clock: TestClock;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
beforeEach(async () => {
  clock = new TestClock(); // 2026-03-04T17:00:00Z
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

describe("a delivery without an acknowledgement", () => {
  it("is attempted at once, after one minute, after five more minutes, and then never again", async () => {
    receiver.answers(500, 503, 404);
    await webhooks.deliver(statusChange(payer));
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attemptCount: 1,
      nextAttemptAt: "2026-03-04T17:01:00.000Z",
    });

    clock.advance(minute - 1);
    expect(await webhooks.sendDue()).toBe(0);
    clock.advance(1);
    expect(await webhooks.sendDue()).toBe(1);
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attemptCount: 2,
      nextAttemptAt: "2026-03-04T17:06:00.000Z",
    });

    clock.advance(5 * minute - 1);
    expect(await webhooks.sendDue()).toBe(0);
    clock.advance(1);
    expect(await webhooks.sendDue()).toBe(1);
    const dead = await webhooks.delivery(payer);
    expect(dead).toMatchObject({ status: "DeadLettered", attemptCount: 3, nextAttemptAt: null });
    expect(dead.attempts.map(({ at, responseStatus }) => [at, responseStatus])).toEqual([
      ["2026-03-04T17:00:00.000Z", 500],
      ["2026-03-04T17:01:00.000Z", 503],
      ["2026-03-04T17:06:00.000Z", 404],
    ]);

    clock.advance(24 * 60 * minute);
    expect(await webhooks.sendDue()).toBe(0);
    expect(receiver.requests).toHaveLength(3);
  });

  it("sends the same bytes and event id each time, with a new timestamp", async () => {
    receiver.answers(500, 500, 204);
    await webhooks.deliver(statusChange(payer));
    clock.advance(minute);
    await webhooks.sendDue();
    clock.advance(5 * minute);
    await webhooks.sendDue();
    const [first, second, third] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(third?.body).toEqual(first?.body);
    const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids)).toEqual(new Set([(await webhooks.delivery(payer)).eventId]));
    const times = receiver.requests.map(({ headers }) => headers["webhook-timestamp"]);
    expect(times).toEqual(["1772643600", "1772643660", "1772643960"]);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered", attemptCount: 3 });
  });

  it("counts a redirect as a failure and does not follow it", async () => {
    const elsewhere = await LoopbackReceiver.open();
    receiver.answers({ status: 307, headers: { location: elsewhere.url } });
    await webhooks.deliver(statusChange(payer));
    const { status, attempts } = await webhooks.delivery(payer);
    expect([status, attempts[0]?.responseStatus]).toEqual(["Retrying", 307]);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it("shows the response body, at most 16 KiB", async () => {
    receiver.answers({ status: 500, body: "out of order" }, { status: 500, body: "x".repeat(100_000) });
    await webhooks.deliver(statusChange(payer));
    clock.advance(minute);
    await webhooks.sendDue();
    const { attempts } = await webhooks.delivery(payer);
    expect(attempts[0]?.responseBody).toBe("out of order");
    expect(attempts[1]?.responseBody).toBe("x".repeat(16_384));
  });

  it("counts a refused connection as an attempt", async () => {
    await receiver.close();
    await webhooks.deliver(statusChange(payer));
    const { status, attempts } = await webhooks.delivery(payer);
    expect(status).toBe("Retrying");
    expect(attempts).toMatchObject([{ responseStatus: null, responseBody: null }]);
    expect(attempts[0]?.error).toMatch(/ECONNREFUSED/);
  });
});

describe("a slow receiver", () => {
  it("has 15 seconds to respond", async () => {
    receiver.holds();
    await webhooks.consume(statusChange(payer));
    await receiver.has(1);
    clock.advance(15_000);
    await webhooks.sender.whenIdle();
    const { status, nextAttemptAt, attempts } = await webhooks.delivery(payer);
    // The pause counts from the end of the attempt.
    expect([status, nextAttemptAt]).toEqual(["Retrying", "2026-03-04T17:01:15.000Z"]);
    expect(attempts).toEqual([
      {
        at: "2026-03-04T17:00:00.000Z",
        durationMs: 15_000,
        responseStatus: null,
        responseBody: null,
        error: "no complete answer within 15 s",
        errorClass: "Timeout",
        timings: { dnsMs: null, connectMs: 0, tlsMs: null, firstByteMs: null, totalMs: 15_000 },
      },
    ]);
  });

  it("may respond in the last millisecond", async () => {
    receiver.holds();
    await webhooks.consume(statusChange(payer));
    await receiver.has(1);
    clock.advance(14_999);
    receiver.releases();
    await webhooks.sender.whenIdle();
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Delivered",
      attempts: [{ durationMs: 14_999 }],
    });
  });

  it("delays no other endpoint, not even one on the same host", async () => {
    const quick = await LoopbackReceiver.open();
    await webhooks.createEndpoint(payer, { url: quick.url });
    await webhooks.createEndpoint(payer, { url: receiver.url.replace("/hooks", "/other-hooks") });
    receiver.holds();
    await webhooks.consume(...Array.from({ length: 100 }, () => statusChange(payer)));
    await quick.has(100);
    // Each slow endpoint has its maximum of 32 requests in flight; the other deliveries wait.
    await receiver.has(64);
    expect(receiver.requests.filter(({ path }) => path.startsWith("/other-hooks"))).toHaveLength(32);
    receiver.releases();
    await webhooks.sender.whenIdle();
    expect(receiver.requests).toHaveLength(200);
    await quick.close();
  });
});

describe("an instance that stops", () => {
  it("by a crash after the commit leaves its deliveries to another one after the lease of 40 seconds", async () => {
    await webhooks.consumeAndCrash(statusChange(payer));
    const other = new WebhooksInstance(units, clock);
    clock.advance(39_999);
    expect(await other.sendDue()).toBe(0);
    clock.advance(1);
    expect(await other.sendDue()).toBe(1);
    expect(receiver.requests).toHaveLength(1);
    expect(await other.delivery(payer)).toMatchObject({ status: "Delivered", attemptCount: 1 });
    await other.stop();
  });

  it("by a crash before recording causes a second request with the same bytes and id", async () => {
    const unreachable = {
      sql: () => Promise.reject(new Error("unreachable")),
    } as unknown as TestUnits["database"];
    const crashing = new WebhooksInstance(units, clock, { database: unreachable });
    await crashing.deliver(statusChange(payer));
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Pending", attemptCount: 0 });
    clock.advance(40_000);
    expect(await webhooks.sendDue()).toBe(1);
    const [first, second] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered", attemptCount: 1 });
  });

  it("responding for longer than its lease has its failed attempt stored, but the newer lease decides", async () => {
    const frozenClock = new TestClock();
    const stalled = new WebhooksInstance(units, frozenClock);
    receiver.holds();
    receiver.answers(500);
    await stalled.consume(statusChange(payer));
    await receiver.has(1);
    clock.advance(40_000);
    await webhooks.sender.claimDueDeliveries();
    await receiver.has(2);
    frozenClock.advance(15_000);
    await stalled.sender.whenIdle();
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Pending", attemptCount: 1 });
    receiver.releases();
    await webhooks.sender.whenIdle();
    const after = await webhooks.delivery(payer);
    expect(after).toMatchObject({ status: "Retrying", nextAttemptAt: "2026-03-04T17:01:40.000Z" });
    expect(new Set(after.attempts.map(({ responseStatus }) => responseStatus))).toEqual(new Set([500, null]));
    await stalled.stop();
  });

  it("in order releases its unsent deliveries, so that another one sends them at once", async () => {
    const leaving = new WebhooksInstance(units, clock, { config: { WEBHOOK_CONCURRENCY_PER_ENDPOINT: 1 } });
    receiver.holds();
    await leaving.consume(statusChange(payer), statusChange(payer), statusChange(payer));
    await receiver.has(1);
    const stopped = leaving.stop();
    receiver.releases();
    await stopped;
    expect(receiver.requests).toHaveLength(1);
    expect(await webhooks.sendDue()).toBe(2);
    expect((await webhooks.deliveries(payer)).map(({ status }) => status)).toEqual(
      Array(3).fill("Delivered"),
    );
  });
});

describe("two instances", () => {
  it("never send the same delivery", async () => {
    const other = new WebhooksInstance(units, clock);
    await webhooks.consumeAndCrash(...Array.from({ length: 100 }, () => statusChange(payer)));
    clock.advance(40_000);
    await Promise.all([webhooks.sendDue(), other.sendDue()]);
    await webhooks.sendDue();
    expect(receiver.requests).toHaveLength(100);
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(100);
    await other.stop();
  });

  it("share the deliveries that exceed the capacity of one", async () => {
    const narrow = new WebhooksInstance(units, clock, { config: { WEBHOOK_CONCURRENCY_PER_ENDPOINT: 1 } });
    receiver.holds();
    await narrow.consume(...Array.from({ length: 110 }, () => statusChange(payer)));
    // One is in flight and 99 are queued. Any instance may claim the other ten.
    await receiver.has(1);
    await webhooks.sender.claimDueDeliveries();
    await receiver.has(11);
    receiver.releases();
    await Promise.all([narrow.sender.whenIdle(), webhooks.sender.whenIdle()]);
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(110);
    expect(receiver.requests).toHaveLength(110);
    await narrow.stop();
  });
});
