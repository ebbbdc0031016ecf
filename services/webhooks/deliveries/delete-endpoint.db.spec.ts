import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { ListWebhookEndpoints } from "../../../contracts/messages/webhooks.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { QueryEndpoints } from "../endpoints/query-endpoints.handler.ts";
import { cancelOfDeleted } from "./store/cancel-deliveries.ts";

let clock: TestClock;
let webhooks: WebhooksInstance;
let other: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
let endpointId: string;
const units = await forThisFile(openFreshUnits("webhooks"));
const query = new QueryEndpoints(units.database);
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

const remove = (at = webhooks, context = payer, id = endpointId) => at.deletions.delete({ id }, context);
const listed = async () =>
  ListWebhookEndpoints.reply.parse(await query.list({ limit: 50 }, payer)).data.map(({ id }) => id);
const statuses = async () => (await webhooks.deliveries(payer)).map(({ status }) => status);

describe("a deleted endpoint", () => {
  it("is gone: not listed, not found, not deleted or changed again", async () => {
    const kept = await webhooks.createEndpoint(payer, { url: receiver.url });
    expect(await remove()).toEqual({ id: endpointId });
    expect(await listed()).toEqual([kept.id]);
    const missing = { code: "not_found" };
    await expect(query.get({ id: endpointId }, payer)).rejects.toMatchObject(missing);
    await expect(remove(other)).rejects.toMatchObject(missing);
    const enabled = { id: endpointId, change: { status: "Enabled" } } as const;
    await expect(webhooks.updates.update(enabled, payer)).rejects.toMatchObject(missing);
  });

  it("makes room for another one", async () => {
    const bounded = new WebhooksInstance(units, clock, { config: { WEBHOOK_ENDPOINTS_PER_BOOK: "1" } });
    const create = () => bounded.createEndpoint(payer, { url: receiver.url });
    await expect(create()).rejects.toMatchObject({ code: "invalid_state_transition" });
    await remove();
    const { id } = await create();
    expect(await listed()).toEqual([id]);
    await bounded.stop();
  });

  it("gets no event that happens afterwards", async () => {
    await remove(other);
    await webhooks.deliver(statusChange(payer));
    expect(await webhooks.deliveries(payer)).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });

  it("has its open deliveries Cancelled, and those that were sent can still be read", async () => {
    await webhooks.deliver(statusChange(payer));
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    await webhooks.consumeAndCrash(statusChange(payer));
    expect(await statuses()).toEqual(["Pending", "Retrying", "Delivered"]);
    await remove(other);
    const ended = await webhooks.deliveries(payer);
    expect(
      ended.map(({ status, nextAttemptAt, attemptCount }) => [status, nextAttemptAt, attemptCount]),
    ).toEqual([
      ["Cancelled", null, 0],
      ["Cancelled", null, 1],
      ["Delivered", null, 1],
    ]);
    expect(ended.map((delivery) => delivery.endpointId)).toEqual(Array(3).fill(endpointId));
    clock.advance(24 * 3_600_000);
    expect(await Promise.all([webhooks.sendDue(), other.sendDue()])).toEqual([0, 0]);
    expect(receiver.requests).toHaveLength(2);
  });

  it.each([
    [204, "Delivered"],
    [500, "Cancelled"],
  ])("has an attempt that was under way recorded: %i makes it %s", async (answer, status) => {
    receiver.holds();
    receiver.answers(answer);
    await webhooks.consume(statusChange(payer));
    await receiver.has(1);
    await remove(other);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Cancelled", attemptCount: 0 });
    receiver.releases();
    await webhooks.sender.whenIdle();
    expect(await webhooks.delivery(payer)).toMatchObject({
      status,
      attemptCount: 1,
      nextAttemptAt: null,
      attempts: [{ responseStatus: answer }],
    });
    clock.advance(24 * 3_600_000);
    expect(await other.sendDue()).toBe(0);
  });

  it("has what an event adds at the same moment Cancelled by any instance, at the end of its lease", async () => {
    await units.units.run((unit) =>
      webhooks.fanOut.onMessages([statusChange(payer)], {
        ...unit,
        sql: (async (text: string, values: unknown[]) => {
          const rows = await unit.sql(text, values);
          if (text.includes("from endpoint e")) await remove(other);
          return rows;
        }) as typeof unit.sql,
        afterCommit: () => undefined,
      }),
    );
    expect(await statuses()).toEqual(["Pending"]);
    clock.advance(40_000);
    expect(await other.sendDue()).toBe(1);
    expect(await statuses()).toEqual(["Cancelled"]);
    expect(await other.sendDue()).toBe(0);
    expect(receiver.requests).toEqual([]);
  });

  it("leaves Delivered what was acknowledged before, if an attempt to send it again is under way", async () => {
    await webhooks.deliver(statusChange(payer));
    const { id } = await webhooks.delivery(payer);
    receiver.holds();
    receiver.answers(500);
    await webhooks.retry(payer, id);
    await receiver.has(2);
    await remove(other);
    const delivered = { status: "Delivered", nextAttemptAt: null };
    expect(await webhooks.delivery(payer)).toMatchObject(delivered);
    receiver.releases();
    await webhooks.sender.whenIdle();
    expect(await webhooks.delivery(payer)).toMatchObject(delivered);
  });

  it("leaves it Delivered also at the end of the lease of an instance that crashed", async () => {
    await webhooks.deliver(statusChange(payer));
    const { id } = await webhooks.delivery(payer);
    webhooks.sender.send = () => undefined;
    await webhooks.retry(payer, id);
    await units.database.sql("update endpoint set status = 'Disabled', deleted_at = $2 where id = $1", [
      uuidOf(endpointId as `we_${string}`),
      clock.now(),
    ]);
    clock.advance(40_000);
    expect(await other.sendDue()).toBe(1);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered", nextAttemptAt: null });
    expect(receiver.requests).toHaveLength(1);
  });

  it("leaves DeadLettered what another instance has ended since this one lost its lease", async () => {
    await webhooks.updates.update({ id: endpointId, change: { maxAttempts: 1 } }, payer);
    receiver.answers(500);
    await webhooks.consumeAndCrash(statusChange(payer));
    const [lost] = await units.database.sql<{ id: string; lease_id: string }>(
      "select id, lease_id from delivery where endpoint_id = $1",
      [uuidOf(endpointId as `we_${string}`)],
    );
    clock.advance(40_000);
    expect(await other.sendDue()).toBe(1);
    await remove(other);
    expect(await statuses()).toEqual(["DeadLettered"]);
    await cancelOfDeleted(units.database.sql, [lost!.id], lost!.lease_id);
    expect(await statuses()).toEqual(["DeadLettered"]);
  });

  it("takes no retry, whatever became of the delivery", async () => {
    await webhooks.deliver(statusChange(payer));
    await webhooks.consumeAndCrash(statusChange(payer));
    await remove();
    for (const { id } of await webhooks.deliveries(payer)) {
      await expect(other.retry(payer, id)).rejects.toMatchObject({
        code: "invalid_state_transition",
        message: expect.stringContaining("was deleted"),
        context: { resourceId: endpointId },
      });
    }
    expect(await statuses()).toEqual(["Cancelled", "Delivered"]);
  });

  it("is sent nothing by the previous version either, and its secret is retired", async () => {
    await remove();
    const [stored] = await units.database.sql(
      `select e.status, e.deleted_at, s.retires_at
       from endpoint e
       join endpoint_secret s on s.endpoint_id = e.id
       where e.id = $1`,
      [uuidOf(endpointId as `we_${string}`)],
    );
    const now = clock.now();
    expect(stored).toEqual({ status: "Disabled", deleted_at: now, retires_at: now });
  });
});

describe("a deletion", () => {
  it("happens once, also at two instances at once", async () => {
    const results = await Promise.allSettled([remove(webhooks), remove(other)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("is answered again under its Idempotency-Key", async () => {
    const keyed = { ...payer, idempotency: { key: newUuid(), fingerprint: "f1" } };
    await remove(webhooks, keyed);
    expect(await remove(other, keyed)).toEqual(new IdempotentReplay({ id: endpointId }));
  });

  it.each([newId("we"), newId("wh"), "nothing"])("is not found for %s", async (id) => {
    await expect(remove(webhooks, payer, id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is not found for another book's endpoint, and deletes nothing", async () => {
    await expect(remove(webhooks, requestContext())).rejects.toMatchObject({ code: "not_found" });
    expect(await listed()).toEqual([endpointId]);
  });
});
