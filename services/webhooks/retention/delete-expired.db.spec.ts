/** What is deleted when its time is over, and what stays. Rows are made now, and the worker runs days later. */
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { idOf, lowestUuidAt, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { makeReplay, workOff } from "../../../test/stack/services/replays.ts";
import { until } from "../../../test/stack/until.ts";
import { advisoryLockWaits } from "../../../test/stack/database/lock-waits.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  testWebhooksConfig,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { lockDroppedChanges } from "../events/store/dropped-changes.ts";
import { DeleteExpired, rowsPerPage } from "./delete-expired.worker.ts";

const dayMs = 86_400_000;
const units = await forThisFile(openFreshUnits("webhooks"));
const { sql } = units.database;
const worker = new DeleteExpired(
  units.units,
  units.database,
  testWebhooksConfig(),
  new Metrics("webhooks"),
  pino({ level: "silent" }),
);
const runAfter = (days: number) => worker.tick(new Date(Date.now() + days * dayMs));

let clock: TestClock;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  return async () => {
    receiver.releases();
    await webhooks.stop();
    await receiver.close();
  };
});

/** How many rows of the book there are, of each table. */
async function rows() {
  const [found] = await sql<Record<"deliveries" | "attempts" | "events" | "renderings", number>>(
    `select
       (select count(*)::int from delivery where book_id = $1) as deliveries,
       (select count(*)::int from attempt a join delivery d on d.id = a.delivery_id where d.book_id = $1) as attempts,
       (select count(*)::int from event where book_id = $1) as events,
       (select count(*)::int from rendering r join event e on e.id = r.event_id where e.book_id = $1) as renderings`,
    [uuidOf(payer.caller.book)],
  );
  return found;
}
const orphans = async () => {
  const [found] = await sql<Record<"attempts" | "renderings", number>>(
    `select
       (select count(*)::int from attempt where delivery_id not in (select id from delivery)) as attempts,
       (select count(*)::int from rendering where event_id not in (select id from event)) as renderings`,
  );
  return found;
};
const all = { deliveries: 1, attempts: 1, events: 1, renderings: 1 };
const eventAlone = { deliveries: 0, attempts: 0, events: 1, renderings: 1 };
const nothing = { deliveries: 0, attempts: 0, events: 0, renderings: 0 };

async function deadLettered(): Promise<string> {
  receiver.answers(500);
  await webhooks.deliver(statusChange(payer));
  const { id } = await webhooks.delivery(payer);
  await sql(
    "update delivery set status = 'DeadLettered', claimable_at = null, next_attempt_at = null where id = $1",
    [uuidOf(id)],
  );
  return id;
}

describe("a delivery", () => {
  beforeEach(() => webhooks.createEndpoint(payer, { url: receiver.url }));

  it("that was acknowledged is deleted with its attempts after 30 days, its event after 90", async () => {
    await webhooks.deliver(statusChange(payer));
    await sql("update delivery set acknowledged_at = now(), created_at = now()");
    await runAfter(29.9);
    expect(await rows()).toEqual(all);
    await runAfter(30.1);
    expect(await rows()).toEqual(eventAlone);
    await runAfter(89.9);
    expect(await rows()).toEqual(eventAlone);
    await runAfter(90.1);
    expect(await rows()).toEqual(nothing);
    expect(await orphans()).toEqual({ attempts: 0, renderings: 0 });
  });

  it("that was acknowledged late is kept for 30 days from then", async () => {
    await webhooks.deliver(statusChange(payer));
    await sql("update delivery set acknowledged_at = now() + interval '20 days', created_at = now()");
    await runAfter(49.9);
    expect(await rows()).toEqual(all);
    await runAfter(50.1);
    expect(await rows()).toEqual(eventAlone);
  });

  it("that was cancelled is deleted after 30 days", async () => {
    await webhooks.consumeAndCrash(statusChange(payer));
    await sql(
      "update delivery set status = 'Cancelled', claimable_at = null, lease_id = null, created_at = now()",
    );
    await runAfter(29.9);
    expect(await rows()).toMatchObject({ deliveries: 1 });
    await runAfter(30.1);
    expect(await rows()).toEqual({ ...eventAlone, attempts: 0 });
  });

  it("that is dead-lettered is kept for 180 days, and a retry sends the same bytes for all of that time", async () => {
    const id = await deadLettered();
    await sql("update delivery set created_at = now()");
    await runAfter(179.9);
    expect(await rows()).toEqual(all);
    receiver.answers(204);
    await webhooks.retry(payer, id);
    await webhooks.sender.whenIdle();
    expect(await webhooks.get(payer, id)).toMatchObject({ status: "Delivered", attemptCount: 2 });
    const [first, second] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });

  it("that is dead-lettered is deleted after 180 days, with its event", async () => {
    await deadLettered();
    await sql("update delivery set created_at = now()");
    await runAfter(180.1);
    expect(await rows()).toEqual(nothing);
  });

  it("that is open stays, however old, with its event and its bytes", async () => {
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    await runAfter(1_000);
    expect(await rows()).toEqual(all);
    receiver.answers(204);
    clock.advance(60_000 * 1.05);
    await webhooks.sendDue();
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered", attemptCount: 2 });
  });
});

describe("an event that nobody received", () => {
  it("is deleted after 90 days, in every book, and if there are more than a page of them", async () => {
    const other = requestContext();
    const orders = Array.from({ length: rowsPerPage + 1 }, () => statusChange(payer));
    await webhooks.deliver(...orders, statusChange(other));
    await runAfter(89.9);
    expect(await rows()).toMatchObject({ events: rowsPerPage + 1 });
    await runAfter(90.1);
    expect(
      await sql("select from event where book_id = any ($1)", [
        [uuidOf(payer.caller.book), uuidOf(other.caller.book)],
      ]),
    ).toEqual([]);
  });
});

describe("an event that a replay sends to an endpoint that missed it", () => {
  it("is not deleted before its delivery is there", async () => {
    await webhooks.consume(statusChange(payer));
    const { id: endpointId } = await webhooks.createEndpoint(payer, { url: receiver.url });
    const made = await makeReplay(webhooks, payer, { endpointId, includeMissed: true });
    const isDone = async () => (await webhooks.replays.get({ id: made.id ?? "" }, payer)).status === "Done";
    const book = uuidOf(payer.caller.book);
    let worked: Promise<void> | undefined;
    await units.units.run(async (unit) => {
      await lockDroppedChanges(unit.sql, book);
      worked = workOff(webhooks);
      await until(
        "the replay waits for the deletion",
        async () => (await advisoryLockWaits(sql)) > 0 || (await isDone()),
      );
      await unit.sql("delete from event where book_id = $1", [book]);
    });
    await worked;
    expect(await isDone()).toBe(true);
    expect(await rows()).toEqual(nothing);
    expect(await orphans()).toEqual({ attempts: 0, renderings: 0 });
  });
});

describe("a change that is reported again after its event was deleted", () => {
  // Made a year before the test's clock: events of objects of the last day are not deleted yet.
  const orderId = idOf(
    "po",
    lowestUuidAt(new Date("2025-03-04T17:00:00Z")).slice(0, 24) + newUuid().slice(24),
  );
  const change = { orderId, status: "Completed", sequence: 4 } as const;

  it("makes no second event and no delivery; other changes of the object do, also in the same batch", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(statusChange(payer, change));
    await runAfter(91);
    expect(await rows()).toEqual(nothing);
    const later = statusChange(payer, { ...change, status: "Returned", sequence: 5, late: true });
    await webhooks.deliver(statusChange(payer, change), later);
    expect(await rows()).toEqual(all);
    expect((await webhooks.delivery(payer)).eventType).toBe("payment_order.returned");
    await webhooks.deliver(statusChange(payer, change));
    expect(await rows()).toEqual(all);
  });

  it("is an event of another book that has an object of the same id", async () => {
    await webhooks.deliver(statusChange(payer, change));
    await runAfter(91);
    payer = requestContext();
    await webhooks.deliver(statusChange(payer, change));
    expect(await rows()).toMatchObject({ events: 1 });
  });

  it("waits for a deletion that is under way", async () => {
    await webhooks.deliver(statusChange(payer, change));
    const book = uuidOf(payer.caller.book);
    let consumed: Promise<void> | undefined;
    await units.units.run(async (unit) => {
      await unit.sql(
        "select pg_advisory_xact_lock(hashtextextended('dropped-changes/' || $1::uuid::text, 0))",
        [book],
      );
      consumed = webhooks.deliver(statusChange(payer, change));
      await until("the change waits for the lock", async () => (await advisoryLockWaits(sql)) > 0);
      await unit.sql("delete from event where book_id = $1", [book]);
      await unit.sql("insert into dropped_change values ($1, $2, 4, '')", [book, orderId]);
    });
    await consumed;
    expect(await rows()).toEqual(nothing);
  });
});
