/** A retry in a book with a clock of its own is due by that clock, and an advance knows of it. */
import { beforeEach, describe, expect, it } from "vitest";
import type { BookClock } from "../../../contracts/book-clock.ts";
import { eventQuery } from "../../../contracts/http/webhooks/stored-events.ts";
import type { WebhookEndpointPatch } from "../../../contracts/http/webhooks/webhooks.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { until } from "../../../test/stack/until.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const fridayNoon = "2038-02-12T17:00:00.000Z";
const standsAt = (time: string): Partial<BookClock> => ({ mode: "Manual", standsAt: new Date(time) });

const units = await forThisFile(openFreshUnits("webhooks"));
const { sql } = units.database;
let clock: TestClock; // real time: 2026-03-04T17:00:00Z
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
let endpoint: string;
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  ({ id: endpoint } = await webhooks.createEndpoint(payer, { url: receiver.url }));
  return async () => {
    receiver.releases();
    await webhooks.stop();
    await receiver.close();
  };
});

const nextDue = async () =>
  (await webhooks.follower.nextDueOf(sql, payer.caller.book))?.toISOString() ?? null;
const underWay = () => webhooks.follower.underWayOf(sql, payer.caller.book);
const next = async () => (await webhooks.delivery(payer)).nextAttemptAt;

describe("in a Manual book", () => {
  beforeEach(() => webhooks.setClock(payer, 1, standsAt(fridayNoon)));

  it("a delivery is attempted at once, and again one and six minutes later on that clock", async () => {
    receiver.answers(500, 503, 404);
    await webhooks.deliver(statusChange(payer));
    expect(await next()).toBe("2038-02-12T17:01:00.000Z");
    expect(await nextDue()).toBe("2038-02-12T17:01:00.000Z");

    clock.advance(day);
    expect(await webhooks.sendDue()).toBe(0);
    await webhooks.setClock(payer, 2, standsAt("2038-02-12T17:00:59.999Z"));
    expect(await webhooks.sendDue()).toBe(0);
    await webhooks.setClock(payer, 3, standsAt("2038-02-12T17:01:00.000Z"));
    expect(await webhooks.sendDue()).toBe(1);
    expect(await next()).toBe("2038-02-12T17:06:00.000Z");

    await webhooks.setClock(payer, 4, standsAt("2038-02-12T17:06:00.000Z"));
    expect(await webhooks.sendDue()).toBe(1);
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "DeadLettered",
      attemptCount: 3,
      nextAttemptAt: null,
    });
    expect(await nextDue()).toBeNull();
  });

  it("the time of an attempt and its signed timestamp stay real", async () => {
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    const { createdAt, attempts } = await webhooks.delivery(payer);
    expect([createdAt, attempts[0]?.at]).toEqual(Array(2).fill("2026-03-04T17:00:00.000Z"));
    expect(receiver.requests[0]?.headers["webhook-timestamp"]).toBe("1772643600");
  });

  it("an advance waits for an attempt that is under way, and for one that is due", async () => {
    receiver.holds();
    receiver.answers(500, 500);
    await webhooks.consume(statusChange(payer));
    await receiver.has(1);
    const { id } = await webhooks.delivery(payer);
    const named = `the delivery ${id} to the endpoint ${endpoint}`;
    expect(await underWay()).toBe(named);
    receiver.releases();
    await webhooks.sender.whenIdle();
    expect(await underWay()).toBeUndefined();

    await webhooks.setClock(payer, 2, standsAt("2038-02-12T17:01:00.000Z"));
    expect(await nextDue()).toBeNull();
    expect(await underWay()).toBe(named);
    receiver.holds();
    await webhooks.sender.claimDueDeliveries();
    await receiver.has(2);
    expect(await underWay()).toBe(named);
    receiver.releases();
    await webhooks.sender.whenIdle();
    expect(await underWay()).toBeUndefined();
  });

  it("an advance waits for deliveries of an instance that has crashed", async () => {
    await webhooks.consumeAndCrash(statusChange(payer));
    expect(await underWay()).toMatch(/^the delivery wh_/);
    clock.advance(40_000);
    expect(await webhooks.sendDue()).toBe(1);
    expect(await underWay()).toBeUndefined();
  });

  it("no advance waits for an endpoint that is disabled, and its retries go on when it is enabled", async () => {
    receiver.answers(500, 200);
    await webhooks.deliver(statusChange(payer));
    await webhooks.updates.update({ id: endpoint, change: { status: "Disabled" } }, payer);
    expect(await nextDue()).toBeNull();
    await webhooks.setClock(payer, 2, standsAt("2038-02-13T17:00:00.000Z"));
    expect(await underWay()).toBeUndefined();
    expect(await webhooks.sendDue()).toBe(0);
    await webhooks.updates.update({ id: endpoint, change: { status: "Enabled" } }, payer);
    expect(await webhooks.sendDue()).toBe(1);
    expect((await webhooks.delivery(payer)).status).toBe("Delivered");
  });

  it("a retry by hand is made at once, and a deleted endpoint cancels what waits", async () => {
    receiver.answers(500, 500);
    await webhooks.deliver(statusChange(payer));
    const { id } = await webhooks.delivery(payer);
    expect(await webhooks.retry(payer, id)).toMatchObject({ nextAttemptAt: fridayNoon });
    await webhooks.sender.whenIdle();
    expect(await next()).toBe("2038-02-12T17:05:00.000Z");
    await webhooks.deletions.delete({ id: endpoint }, payer);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Cancelled", nextAttemptAt: null });
    expect([await nextDue(), await underWay()]).toEqual([null, undefined]);
  });
});

describe("in a Manual book, an endpoint with disableAfterDays", () => {
  const disable = async () => {
    const disabled = await webhooks.disabling.tick();
    await webhooks.sender.whenIdle();
    return disabled;
  };
  const failing = async (change: WebhookEndpointPatch) => {
    await webhooks.updates.update({ id: endpoint, change }, payer);
    await webhooks.setClock(payer, 1, standsAt(fridayNoon));
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
  };

  it("is disabled when its days are over on that clock, and an advance knows when they are", async () => {
    await failing({ disableAfterDays: 2, maxAttempts: 1 });
    expect(await nextDue()).toBe("2038-02-14T17:00:00.000Z");
    clock.advance(30 * day);
    expect(await disable()).toBe(0);
    await webhooks.setClock(payer, 2, standsAt("2038-02-14T17:00:00.000Z"));
    expect(await nextDue()).toBe("2038-02-14T17:00:00.000Z");
    expect(await disable()).toBe(1);
    expect(await nextDue()).toBeNull();
    const query = eventQuery.parse({ type: "webhook_endpoint.disabled" });
    const { data } = await webhooks.events.list({ query, apiVersion: "v1" }, payer);
    expect(data).toMatchObject([
      { created_at: "2038-02-14T17:00:00.000Z", data: { failingSince: "2038-02-12T17:00:00.000Z" } },
    ]);
  });

  it("is not disabled before an attempt that is due at the same time, which may succeed", async () => {
    await failing({ disableAfterDays: 2, maxAttempts: 3, backoffSeconds: [86_400] });
    await webhooks.setClock(payer, 2, standsAt("2038-02-13T17:00:00.000Z"));
    expect(await webhooks.sendDue()).toBe(1);
    await webhooks.setClock(payer, 3, standsAt("2038-02-14T17:00:00.000Z"));
    expect(await disable()).toBe(0);
    receiver.answers(204);
    expect(await webhooks.sendDue()).toBe(1);
    expect([await disable(), await nextDue()]).toEqual([0, null]);
  });
});

describe("a retry that waits goes on", () => {
  it("after the rest of its pause, once the clock is made Real", async () => {
    await webhooks.setClock(payer, 1, standsAt(fridayNoon));
    receiver.answers(500, 200);
    await webhooks.deliver(statusChange(payer));
    const leadMs = Date.parse("2038-02-12T17:00:20.000Z") - clock.now().getTime();
    await webhooks.setClock(payer, 2, { mode: "Real", leadMs });
    clock.advance(40_000 - 1);
    expect(await webhooks.sendDue()).toBe(0);
    clock.advance(1);
    expect(await webhooks.sendDue()).toBe(1);
  });

  it("at once, when the clock jumps over its time", async () => {
    await webhooks.setClock(payer, 1, { mode: "Real", leadMs: day });
    receiver.answers(500, 200);
    await webhooks.deliver(statusChange(payer));
    expect(await next()).toBe("2026-03-05T17:01:00.000Z");
    expect(await webhooks.sendDue()).toBe(0);
    await webhooks.setClock(payer, 2, { mode: "Real", leadMs: day + minute });
    expect(await webhooks.sendDue()).toBe(1);
  });

  it("at once, when the clock becomes Instant", async () => {
    await webhooks.setClock(payer, 1, standsAt(fridayNoon));
    receiver.answers(500, 200);
    await webhooks.deliver(statusChange(payer));
    await webhooks.setClock(payer, 2, { mode: "Instant", leadMs: day });
    expect(await webhooks.sendDue()).toBe(1);
  });

  it("by an advance, when its book had no clock before", async () => {
    receiver.answers(500, 200);
    await webhooks.deliver(statusChange(payer));
    const [row] = await sql("select due_in_book from delivery where book_id = $1", [
      uuidOf(payer.caller.book),
    ]);
    expect(row).toEqual({ due_in_book: null });
    await webhooks.setClock(payer, 1, standsAt("2026-03-04T17:00:00.000Z"));
    clock.advance(day);
    expect(await webhooks.sendDue()).toBe(0);
    expect(await nextDue()).toBe("2026-03-04T17:01:00.000Z");
    await webhooks.setClock(payer, 2, standsAt("2026-03-04T17:01:00.000Z"));
    expect(await webhooks.sendDue()).toBe(1);
  });
});

it("a retry that is recorded while the clock changes waits by the new clock", async () => {
  await webhooks.setClock(payer, 1, standsAt(fridayNoon));
  receiver.answers(500);
  const whatHappens = `select 1 from delivery where book_id = $1 and status = 'Retrying'
    union all
    select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await units.units.run(async (unit) => {
    await unit.sql(
      "update book_clock set sequence = 2, stands_at = stands_at + interval '1 day' where book_id = $1",
      [uuidOf(payer.caller.book)],
    );
    await webhooks.consume(statusChange(payer));
    await until("the attempt is recorded, or waits for the clock", async () => {
      const rows = await sql(whatHappens, [uuidOf(payer.caller.book)]);
      return rows.length > 0;
    });
  });
  await webhooks.sender.whenIdle();
  expect(await next()).toBe("2038-02-13T17:01:00.000Z");
});
