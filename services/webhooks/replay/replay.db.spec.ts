import { beforeEach, describe, expect, it } from "vitest";
import type { WebhookReplay } from "../../../contracts/http/webhooks/replays.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { expectRefusal, refusalOf } from "../../../test/stack/refusals.ts";
import { makeReplay, recently, workOff } from "../../../test/stack/services/replays.ts";
import { lockWaits } from "../../../test/stack/database/lock-waits.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { endIfDone, lockPart, movePart, openParts } from "./store/parts.ts";

const clock = new TestClock();
const units = await forThisFile(openFreshUnits("webhooks"));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
let receiver: LoopbackReceiver;
let payer: RequestContext;
beforeEach(async () => {
  payer = requestContext();
  receiver = await LoopbackReceiver.open();
  return () => receiver.close();
});

const hour = 3_600_000;
const replay = (wanted: object = {}, context = payer) => makeReplay(webhooks, context, wanted);
const read = ({ id }: WebhookReplay, context = payer) => webhooks.replays.get({ id: id ?? "" }, context);
const bodies = () => receiver.requests.map(({ body }) => body.toString());
const types = () => bodies().map((body) => (JSON.parse(body) as { type: string }).type);

describe("a replay", () => {
  it("sends every delivery of the period again, oldest first, with the same event id and bytes", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(...Array.from({ length: 5 }, () => statusChange(payer)));
    const sent = () =>
      receiver.requests.map(({ headers, body }) => `${String(headers["webhook-id"])} ${body.toString()}`);
    const first = sent();
    const made = await replay();
    expect(made).toMatchObject({ status: "Running", matched: 5, queued: 0, endedAt: null });
    await workOff(webhooks);
    expect(new Set(sent().slice(5))).toEqual(new Set(first));
    expect(sent()).toHaveLength(10);
    expect(await read(made)).toMatchObject({
      status: "Done",
      matched: 5,
      queued: 5,
      endedAt: "2026-03-04T17:00:00.000Z",
    });
    const deliveries = await webhooks.deliveries(payer);
    expect(deliveries.map(({ status, attemptCount }) => [status, attemptCount])).toEqual(
      Array.from({ length: 5 }, () => ["Delivered", 2]),
    );
  });

  it("takes more than one step, and each delivery once", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    for (let batch = 0; batch < 3; batch += 1) {
      await webhooks.deliver(...Array.from({ length: 90 }, () => statusChange(payer)));
    }
    const made = await replay();
    await workOff(webhooks);
    expect(await read(made)).toMatchObject({ status: "Done", matched: 270, queued: 270 });
    const counts = Map.groupBy(receiver.requests, ({ headers }) => headers["webhook-id"]);
    expect([...counts.values()].map((requests) => requests.length)).toEqual(
      Array.from({ length: 270 }, () => 2),
    );
  });

  it("can be limited to event types, to what deliveries ended as, and to an endpoint", async () => {
    const one = await webhooks.createEndpoint(payer, { url: receiver.url });
    const dead = await LoopbackReceiver.open();
    dead.answers(500);
    const other = await webhooks.createEndpoint(payer, { url: dead.url, maxAttempts: 1 });
    await webhooks.deliver(statusChange(payer), statusChange(payer, { status: "Failed" }));
    const count = async (wanted: object) => (await replay({ ...wanted, dryRun: true })).matched;
    expect(await count({})).toBe(4);
    expect(await count({ status: ["DeadLettered"] })).toBe(2);
    expect(await count({ eventTypes: ["payment_order.failed"] })).toBe(2);
    expect(await count({ endpointId: one.id })).toBe(2);
    expect(await count({ endpointId: other.id, status: ["Delivered"] })).toBe(0);
    dead.answers(200);
    await replay({ endpointId: other.id, status: ["DeadLettered"], eventTypes: ["payment_order.failed"] });
    await workOff(webhooks);
    expect([receiver.requests.length, dead.requests.length]).toEqual([2, 3]);
    expect(await count({ status: ["DeadLettered"] })).toBe(1);
    await dead.close();
  });

  it("leaves out what was made before, after, and what is still being sent", async () => {
    receiver.answers(204, 500);
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(statusChange(payer));
    await webhooks.deliver(statusChange(payer));
    const statuses = (await webhooks.deliveries(payer)).map(({ status }) => status);
    expect(statuses).toEqual(["Retrying", "Delivered"]);
    const count = async (period: object) => (await replay({ ...period, dryRun: true })).matched;
    const { since, until } = recently();
    expect(await count({ since, until })).toBe(1);
    expect(await count({ since: new Date(Date.now() - 2 * hour).toISOString(), until: since })).toBe(0);
    expect(await count({ since: until, until: new Date(Date.now() + 2 * hour).toISOString() })).toBe(0);
  });

  it("of nothing is Done at once", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    expect(await replay()).toMatchObject({ status: "Done", matched: 0, queued: 0 });
  });

  it("that is a dry run makes nothing", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(statusChange(payer));
    expect(await replay({ dryRun: true })).toMatchObject({ id: null, status: "Counted", matched: 1 });
    await workOff(webhooks);
    expect(receiver.requests).toHaveLength(1);
    expect((await webhooks.replays.list({ limit: 25 }, payer)).data).toEqual([]);
  });

  it("continues where it was after a crash, and loses nothing that was leased", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(...Array.from({ length: 150 }, () => statusChange(payer)));
    const made = await replay();
    const crashed = new WebhooksInstance(units, clock);
    crashed.sender.send = () => undefined;
    await crashed.replaySender.tick();
    expect(await read(made)).toMatchObject({ status: "Running", queued: 100 });
    await workOff(webhooks);
    expect(await read(made)).toMatchObject({ status: "Done", queued: 150 });
    clock.advance(41_000);
    while ((await webhooks.sendDue()) > 0);
    const counts = Map.groupBy(receiver.requests, ({ headers }) => headers["webhook-id"]);
    expect([...counts.values()].map((requests) => requests.length)).toEqual(
      Array.from({ length: 150 }, () => 2),
    );
  });

  it("is worked off by several instances together, each delivery once", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    for (let batch = 0; batch < 3; batch += 1) {
      await webhooks.deliver(...Array.from({ length: 100 }, () => statusChange(payer)));
    }
    const made = await replay();
    const other = new WebhooksInstance(units, clock);
    await Promise.all([workOff(webhooks), workOff(other)]);
    await workOff(webhooks);
    expect(await read(made)).toMatchObject({ status: "Done", queued: 300 });
    expect(receiver.requests).toHaveLength(600);
    await other.stop();
  });

  it("takes nothing up after it was cancelled", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(...Array.from({ length: 150 }, () => statusChange(payer)));
    const made = await replay();
    await webhooks.replaySender.tick();
    await webhooks.sender.whenIdle();
    const cancelled = await webhooks.replays.cancel({ id: made.id ?? "" }, payer);
    expect(cancelled).toMatchObject({
      status: "Cancelled",
      queued: 100,
      endedAt: "2026-03-04T17:00:41.000Z",
    });
    await workOff(webhooks);
    expect(receiver.requests).toHaveLength(250);
    await expectRefusal(webhooks.replays.cancel({ id: made.id ?? "" }, payer), "invalid_state_transition", {
      context: { resourceId: made.id, currentStatus: "Cancelled", allowedStatuses: ["Running"] },
    });
  });

  it("that is cancelled during its last step waits for the step, and is Done", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(statusChange(payer));
    const made = await replay();
    const book = uuidOf(payer.caller.book);
    let cancelling: Promise<unknown> = Promise.resolve();
    await units.units.run(async (step) => {
      const after = { book_id: book, replay_id: belowAllUuids, endpoint_id: belowAllUuids };
      const [part] = await openParts(step.sql, after, 1);
      await lockPart(step.sql, part!);
      cancelling = refusalOf(webhooks.replays.cancel({ id: made.id ?? "" }, payer));
      await until("the cancellation waits for the part", () => lockWaits(units.database.sql));
      const done = {
        afterDelivery: belowAllUuids,
        afterEvent: null,
        deliveriesDone: true,
        isDone: true,
        queued: 1,
      };
      await movePart(step.sql, part!, done);
      await endIfDone(step.sql, part!, clock.now());
    });
    expect(await cancelling).toMatchObject({
      code: "invalid_state_transition",
      context: { resourceId: made.id, currentStatus: "Done", allowedStatuses: ["Running"] },
    });
    expect(await read(made)).toMatchObject({ status: "Done", queued: 1 });
  });

  it("rests while its endpoint is disabled, and ends when it is deleted", async () => {
    const { id } = await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(statusChange(payer));
    const made = await replay();
    const change = (status: "Enabled" | "Disabled") =>
      webhooks.updates.update({ id, change: { status } }, payer);
    await change("Disabled");
    await workOff(webhooks);
    expect(await read(made)).toMatchObject({ status: "Running", queued: 0 });
    await change("Enabled");
    await workOff(webhooks);
    expect(await read(made)).toMatchObject({ status: "Done", queued: 1 });
    const second = await replay();
    await webhooks.deletions.delete({ id }, payer);
    await workOff(webhooks);
    expect(await read(second)).toMatchObject({ status: "Done", queued: 0 });
    expect(receiver.requests).toHaveLength(2);
  });
});

describe("events that an endpoint never got", () => {
  it("are sent with includeMissed alone, of the types that it subscribes to", async () => {
    await webhooks.consume(
      statusChange(payer),
      statusChange(payer, { status: "Failed" }),
      statusChange(payer, { status: "Submitted", sequence: 1 }),
    );
    const { id: endpointId } = await webhooks.createEndpoint(payer, { url: receiver.url });
    expect((await replay({ endpointId, dryRun: true })).matched).toBe(0);
    expect((await replay({ endpointId, includeMissed: true, dryRun: true })).matched).toBe(2);
    const made = await replay({ endpointId, includeMissed: true, eventTypes: ["payment_order.failed"] });
    await workOff(webhooks);
    expect(types()).toEqual(["payment_order.failed"]);
    expect(await read(made)).toMatchObject({ status: "Done", matched: 1, queued: 1 });
    await replay({ endpointId, includeMissed: true });
    await workOff(webhooks);
    // The failed one again, because it is delivered by now.
    expect(types().sort()).toEqual([
      "payment_order.completed",
      "payment_order.failed",
      "payment_order.failed",
    ]);
    expect(await webhooks.deliveries(payer)).toHaveLength(2);
  });

  it("include that another endpoint was disabled, and not that it was itself", async () => {
    receiver.answers(500);
    const failing = { url: receiver.url, eventTypes: ["*" as const], maxAttempts: 1, disableAfterDays: 1 };
    const { id: endpointId } = await webhooks.createEndpoint(payer, failing);
    await webhooks.deliver(statusChange(payer));
    clock.advance(24 * hour);
    expect(await webhooks.disabling.tick()).toBe(1);
    receiver.answers(204);
    await webhooks.updates.update({ id: endpointId, change: { status: "Enabled" } }, payer);
    const { id: late } = await webhooks.createEndpoint(payer, { url: receiver.url, eventTypes: ["*"] });
    const missed = { includeMissed: true, dryRun: true, eventTypes: ["webhook_endpoint.disabled"] };
    expect((await replay({ ...missed, endpointId: late })).matched).toBe(1);
    expect((await replay({ ...missed, endpointId })).matched).toBe(0);
    await replay({ endpointId, includeMissed: true });
    await workOff(webhooks);
    expect(types().slice(1)).toEqual(["payment_order.completed"]);
  });

  it("have the bytes that other endpoints of the version got", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(statusChange(payer, { externalId: "invoice-7" }));
    const late = await LoopbackReceiver.open();
    const { id: endpointId } = await webhooks.createEndpoint(payer, { url: late.url });
    await replay({ endpointId, includeMissed: true });
    await workOff(webhooks);
    expect(late.requests.map(({ body }) => body.toString())).toEqual(bodies());
    await late.close();
  });

  it("are found by the thousand, however many of the book's others lie between", async () => {
    await webhooks.consume(
      ...Array.from({ length: 1_500 }, (_, index) =>
        statusChange(payer, { status: index % 10 === 0 ? "Failed" : "Completed" }),
      ),
    );
    const { id: endpointId } = await webhooks.createEndpoint(payer, { url: receiver.url });
    const made = await replay({ endpointId, includeMissed: true, eventTypes: ["payment_order.failed"] });
    await workOff(webhooks);
    expect(await read(made)).toMatchObject({ status: "Done", matched: 150, queued: 150 });
    expect(new Set(bodies()).size).toBe(150);
  });
});
