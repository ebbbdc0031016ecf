/** The leases of new deliveries, which have no claimable_at: a lease is stored while an attempt is unrecorded. */
import { beforeEach, describe, expect, it } from "vitest";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import { newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { releaseLeases } from "./store/deliveries.ts";
import { listDeliveries } from "./store/list-deliveries.ts";

let clock: TestClock;
let webhooks: WebhooksInstance;
let other: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
let endpointId: WebhookDelivery["endpointId"];
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
    await units.database.sql("delete from lease");
  };
});

const leaseSeconds = 40;
const three = () => [statusChange(payer), statusChange(payer), statusChange(payer)];
const leases = async () =>
  (
    await units.database.sql<{ count: number }>(
      "select cardinality(delivery_ids) as count from lease order by 1",
    )
  ).map(({ count }) => count);
const idsWith = async (query: Omit<Parameters<typeof listDeliveries>[2], "limit">) =>
  (await listDeliveries(units.database.sql, uuidOf(payer.caller.book), { ...query, limit: 10 }, null)).map(
    ({ id }) => id,
  );

describe("a lease that another instance holds", () => {
  it("is not released by the instance whose own lease has ended", async () => {
    receiver.holds();
    await webhooks.consumeAndCrash(statusChange(payer));
    const held = async () => {
      const [row] = await units.database.sql<{ id: string; lease: string | null }>(
        "select id, lease_id as lease from delivery where endpoint_id = $1",
        [uuidOf(endpointId)],
      );
      return row;
    };
    const before = await held();
    clock.advance((leaseSeconds + 1) * 1_000);
    await other.sender.claimDueDeliveries();
    await receiver.has(1);
    const after = await held();
    expect(after?.lease).not.toBe(before?.lease);
    const release = (lease: string | null | undefined) =>
      releaseLeases(
        units.database.sql,
        [{ id: before?.id ?? "", lease: { id: lease ?? "", endsAt: clock.now() } }],
        clock.now(),
      );
    await release(before?.lease);
    expect((await held())?.lease).toBe(after?.lease);
    await release(after?.lease);
    expect((await held())?.lease).toBeNull();
  });
});

describe("a lease of new deliveries", () => {
  it("is one row per batch and book, and goes when all of them are recorded", async () => {
    const stranger = requestContext();
    await other.createEndpoint(stranger, { url: receiver.url });
    receiver.holds();
    await webhooks.consume(...three(), statusChange(stranger));
    expect(await leases()).toEqual([1, 3]);
    receiver.releases();
    await webhooks.sender.whenIdle();
    await webhooks.sendDue();
    expect(await leases()).toEqual([]);
  });

  it("stays while one of them is unrecorded", async () => {
    const slow = await LoopbackReceiver.open();
    await webhooks.createEndpoint(payer, { url: slow.url });
    slow.holds();
    await webhooks.consume(statusChange(payer));
    await receiver.has(1);
    await webhooks.sender.claimDueDeliveries();
    expect(await leases()).toEqual([2]);
    slow.releases();
    await webhooks.sender.whenIdle();
    await webhooks.sendDue();
    expect(await leases()).toEqual([]);
    await slow.close();
  });

  it("that ends with its instance leaves them to another one, and goes when none is left", async () => {
    await webhooks.consumeAndCrash(...three());
    expect(await leases()).toEqual([3]);
    clock.advance(leaseSeconds * 1_000);
    expect(await other.sendDue()).toBe(3);
    await other.sendDue();
    expect(await leases()).toEqual([]);
    expect(receiver.requests).toHaveLength(3);
  });

  it("stays while another transaction has one of its deliveries locked, which might roll back", async () => {
    await webhooks.consumeAndCrash(...three());
    clock.advance(leaseSeconds * 1_000);
    await units.database.transaction(async ({ sql }) => {
      await sql("select from delivery where status = 'Pending' order by id limit 1 for update");
      expect(await other.sendDue()).toBe(2);
      expect(await other.sendDue()).toBe(0);
      expect(await leases()).toEqual([3]);
    });
    expect(await other.sendDue()).toBe(1);
    await other.sendDue();
    expect(await leases()).toEqual([]);
  });

  it("is stored for none of the deliveries that exceed the instance's capacity", async () => {
    const narrow = new WebhooksInstance(units, clock, { config: { WEBHOOK_CONCURRENCY_PER_ENDPOINT: 1 } });
    receiver.holds();
    await narrow.consume(...Array.from({ length: 110 }, () => statusChange(payer)));
    // 100 are what it can expect to send in five seconds.
    expect(await leases()).toEqual([100]);
    receiver.releases();
    await narrow.sender.whenIdle();
    await narrow.stop();
  });
});

describe("a delivery during its first attempt", () => {
  it("is listed as Pending and not as Delivered, by every combination of filters", async () => {
    await webhooks.deliver(statusChange(payer));
    const [delivered] = await idsWith({});
    receiver.holds();
    await webhooks.consume(statusChange(payer));
    const [pending] = await idsWith({});
    const eventType = ["payment_order.completed"];
    for (const more of [
      {},
      { eventType },
      { endpointId: [endpointId] },
      { endpointId: [endpointId], eventType },
    ]) {
      expect(await idsWith({ ...more, status: ["Pending"] })).toEqual([pending]);
      expect(await idsWith({ ...more, status: ["Pending", "Retrying"] })).toEqual([pending]);
      expect(await idsWith({ ...more, status: ["Delivered"] })).toEqual([delivered]);
      expect(await idsWith({ ...more, status: ["Delivered", "Pending"] })).toEqual([pending, delivered]);
      expect(await idsWith(more)).toEqual([pending, delivered]);
    }
    expect(await idsWith({ status: ["Pending"], eventType: ["payment_order.failed"] })).toEqual([]);
    const elsewhere = [newId("we")];
    expect(await idsWith({ status: ["Pending"], endpointId: elsewhere })).toEqual([]);
  });

  it("is listed as Pending once after the end of its lease, too", async () => {
    await webhooks.consumeAndCrash(statusChange(payer));
    const [pending] = await idsWith({});
    expect(await idsWith({ status: ["Pending"] })).toEqual([pending]);
    clock.advance(leaseSeconds * 1_000);
    receiver.holds();
    await other.sender.claimDueDeliveries();
    expect(await leases()).toEqual([1]);
    expect(await idsWith({ status: ["Pending"] })).toEqual([pending]);
    expect(await idsWith({ status: ["Delivered"] })).toEqual([]);
  });
});

describe("a delivery of the previous version", () => {
  // It stored no lease, and made its deliveries claimable from the end of theirs.
  const previous = async () => {
    const [id, eventId] = [newUuid(), newUuid()];
    await units.database.sql(
      `with event as (
         insert into event (id, book_id, type, object_id, sequence, change_key, payload, created_at)
         values ($2, $3, 'payment_order.completed', 'po_1', 3, '', '{"orderId":"po_1"}', $5)
         on conflict do nothing
       ),
       rendering as (insert into rendering (event_id, api_version, body) values ($2, 'v1', '{}'))
       insert into delivery
         (id, book_id, event_id, endpoint_id, event_type, api_version, status, attempt_count, attempts_allowed,
          next_attempt_at, claimable_at, lease_id, created_at)
       values ($1, $3, $2, $4, 'payment_order.completed', 'v1', 'Pending', 0, 3, $5, $6, $7, $5)`,
      [
        id,
        eventId,
        uuidOf(payer.caller.book),
        uuidOf(endpointId),
        clock.now(),
        new Date(clock.now().getTime() + leaseSeconds * 1_000),
        newUuid(),
      ],
    );
    return id;
  };

  it("is listed by its status, and is sent when its lease ends", async () => {
    const id = await previous();
    expect(await idsWith({ status: ["Pending"] })).toEqual([id]);
    expect(await idsWith({ status: ["Delivered"] })).toEqual([]);
    expect(await webhooks.sendDue()).toBe(0);
    clock.advance(leaseSeconds * 1_000);
    expect(await webhooks.sendDue()).toBe(1);
    expect(await idsWith({ status: ["Delivered"] })).toEqual([id]);
  });
});
