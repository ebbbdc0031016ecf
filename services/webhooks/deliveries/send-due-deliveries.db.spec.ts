import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import { LoopbackReceiver } from "../../../test/stack/loopback-receiver.ts";
import { openUnits, type TestUnits } from "../../../test/stack/units.ts";
import { aChange, ManualClock, someAsk, WebhooksInstance } from "../../../test/stack/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

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
  clock = new ManualClock(); // 2026-03-04T17:00:00Z
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

const minute = 60_000;

describe("a receiver that does not acknowledge", () => {
  it("is asked at once, after a minute, after five more, and then never again", async () => {
    receiver.answers(500, 503, 404);
    await webhooks.tell(aChange(payer));
    await webhooks.sender.settled();
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attemptCount: 1,
      nextAttemptAt: "2026-03-04T17:01:00.000Z",
    });

    clock.advance(minute - 1);
    expect(await webhooks.sendsDue()).toBe(0);
    clock.advance(1);
    expect(await webhooks.sendsDue()).toBe(1);
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attemptCount: 2,
      nextAttemptAt: "2026-03-04T17:06:00.000Z",
    });

    clock.advance(5 * minute - 1);
    expect(await webhooks.sendsDue()).toBe(0);
    clock.advance(1);
    expect(await webhooks.sendsDue()).toBe(1);
    const dead = await webhooks.delivery(payer);
    expect(dead).toMatchObject({ status: "DeadLettered", attemptCount: 3, nextAttemptAt: null });
    expect(dead.attempts.map(({ at, responseStatus }) => [at, responseStatus])).toEqual([
      ["2026-03-04T17:00:00.000Z", 500],
      ["2026-03-04T17:01:00.000Z", 503],
      ["2026-03-04T17:06:00.000Z", 404],
    ]);

    clock.advance(24 * 60 * minute);
    expect(await webhooks.sendsDue()).toBe(0);
    expect(receiver.requests).toHaveLength(3);
  });

  it("gets the same bytes and the same event id every time, with a fresh time", async () => {
    receiver.answers(500, 500, 204);
    await webhooks.tell(aChange(payer));
    await webhooks.sender.settled();
    clock.advance(minute);
    await webhooks.sendsDue();
    clock.advance(5 * minute);
    await webhooks.sendsDue();
    const [first, second, third] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(third?.body).toEqual(first?.body);
    const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids)).toEqual(new Set([(await webhooks.delivery(payer)).eventId]));
    const times = receiver.requests.map(({ headers }) => headers["webhook-timestamp"]);
    expect(times).toEqual(["1772643600", "1772643660", "1772643960"]);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered", attemptCount: 3 });
  });

  it("redirects: that is a failure, and nobody follows", async () => {
    const elsewhere = await LoopbackReceiver.open();
    receiver.answers({ status: 307, headers: { location: elsewhere.url } });
    await webhooks.tell(aChange(payer));
    await webhooks.sender.settled();
    const { status, attempts } = await webhooks.delivery(payer);
    expect([status, attempts[0]?.responseStatus]).toEqual(["Retrying", 307]);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it("is shown with what it said, 16 KiB of it at most", async () => {
    receiver.answers({ status: 500, body: "out of order" }, { status: 500, body: "x".repeat(100_000) });
    await webhooks.tell(aChange(payer));
    await webhooks.sender.settled();
    clock.advance(minute);
    await webhooks.sendsDue();
    const { attempts } = await webhooks.delivery(payer);
    expect(attempts[0]?.responseBody).toBe("out of order");
    expect(attempts[1]?.responseBody).toBe("x".repeat(16_384));
  });

  it("is not there at all: an attempt like any other", async () => {
    await receiver.close();
    await webhooks.tell(aChange(payer));
    await webhooks.sender.settled();
    const { status, attempts } = await webhooks.delivery(payer);
    expect(status).toBe("Retrying");
    expect(attempts).toMatchObject([{ responseStatus: null, responseBody: null }]);
    expect(attempts[0]?.error).toMatch(/ECONNREFUSED/);
  });
});

describe("a slow receiver", () => {
  it("has 15 seconds, and then its answer is not awaited", async () => {
    receiver.holds();
    await webhooks.tell(aChange(payer));
    await receiver.has(1);
    clock.advance(15_000);
    await webhooks.sender.settled();
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
      },
    ]);
  });

  it("may answer in the last millisecond", async () => {
    receiver.holds();
    await webhooks.tell(aChange(payer));
    await receiver.has(1);
    clock.advance(14_999);
    receiver.releases();
    await webhooks.sender.settled();
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Delivered",
      attempts: [{ durationMs: 14_999 }],
    });
  });

  it("delays nobody else, not even beside it on the same host", async () => {
    const quick = await LoopbackReceiver.open();
    await webhooks.createEndpoint(payer, { url: quick.url });
    await webhooks.createEndpoint(payer, { url: receiver.url.replace("/hooks", "/other-hooks") });
    receiver.holds();
    await webhooks.tell(...Array.from({ length: 100 }, () => aChange(payer)));
    await quick.has(100);
    // Each of the two slow ones has as many requests under way as it may, and the rest waits.
    await receiver.has(64);
    expect(receiver.requests.filter(({ path }) => path.startsWith("/other-hooks"))).toHaveLength(32);
    receiver.releases();
    await webhooks.sender.settled();
    expect(receiver.requests).toHaveLength(200);
    await quick.close();
  });
});

describe("an instance that dies", () => {
  it("after the commit: another one sends when the lease of 40 seconds is over", async () => {
    await webhooks.tellAndDie(aChange(payer));
    const other = new WebhooksInstance(units, clock);
    clock.advance(39_999);
    expect(await other.sendsDue()).toBe(0);
    clock.advance(1);
    expect(await other.sendsDue()).toBe(1);
    expect(receiver.requests).toHaveLength(1);
    expect(await other.delivery(payer)).toMatchObject({ status: "Delivered", attemptCount: 1 });
    await other.stop();
  });

  it("before it records: the receiver gets the same bytes and id a second time", async () => {
    const gone = { sql: () => Promise.reject(new Error("gone")) } as unknown as TestUnits["database"];
    const dying = new WebhooksInstance(units, clock, { database: gone });
    await dying.tell(aChange(payer));
    await dying.sender.settled();
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Pending", attemptCount: 0 });
    clock.advance(40_000);
    expect(await webhooks.sendsDue()).toBe(1);
    const [first, second] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered", attemptCount: 1 });
  });

  it("slowly: what its failed attempt says is kept, but the newer lease decides", async () => {
    const frozen = new ManualClock();
    const asleep = new WebhooksInstance(units, frozen);
    receiver.holds();
    receiver.answers(500);
    await asleep.tell(aChange(payer));
    await receiver.has(1);
    clock.advance(40_000);
    await webhooks.sender.claimDueDeliveries();
    await receiver.has(2);
    frozen.advance(15_000);
    await asleep.sender.settled();
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Pending", attemptCount: 1 });
    receiver.releases();
    await webhooks.sender.settled();
    const after = await webhooks.delivery(payer);
    expect(after).toMatchObject({ status: "Retrying", nextAttemptAt: "2026-03-04T17:01:40.000Z" });
    expect(new Set(after.attempts.map(({ responseStatus }) => responseStatus))).toEqual(new Set([500, null]));
    await asleep.stop();
  });

  it("in order: gives back what it has not sent, and another one need not wait", async () => {
    const leaving = new WebhooksInstance(units, clock, { config: { WEBHOOK_CONCURRENCY_PER_ENDPOINT: 1 } });
    receiver.holds();
    await leaving.tell(aChange(payer), aChange(payer), aChange(payer));
    await receiver.has(1);
    const left = leaving.stop();
    receiver.releases();
    await left;
    expect(receiver.requests).toHaveLength(1);
    expect(await webhooks.sendsDue()).toBe(2);
    expect((await webhooks.deliveries(payer)).map(({ status }) => status)).toEqual(
      Array(3).fill("Delivered"),
    );
  });
});

describe("two instances", () => {
  it("never take the same delivery", async () => {
    const other = new WebhooksInstance(units, clock);
    await webhooks.tellAndDie(...Array.from({ length: 100 }, () => aChange(payer)));
    clock.advance(40_000);
    await Promise.all([webhooks.sendsDue(), other.sendsDue()]);
    await webhooks.sendsDue();
    expect(receiver.requests).toHaveLength(100);
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(100);
    await other.stop();
  });

  it("share what is more than one of them would send soon", async () => {
    const narrow = new WebhooksInstance(units, clock, { config: { WEBHOOK_CONCURRENCY_PER_ENDPOINT: 1 } });
    receiver.holds();
    await narrow.tell(...Array.from({ length: 110 }, () => aChange(payer)));
    // One under way and 99 behind it; ten are anybody's.
    await receiver.has(1);
    await webhooks.sender.claimDueDeliveries();
    await receiver.has(11);
    receiver.releases();
    await Promise.all([narrow.sender.settled(), webhooks.sender.settled()]);
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(110);
    expect(receiver.requests).toHaveLength(110);
    await narrow.stop();
  });
});
