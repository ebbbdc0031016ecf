import { beforeEach, describe, expect, it } from "vitest";
import type { WebhookEndpointPatch } from "../../../contracts/http/webhooks/webhooks.ts";
import { eventQuery } from "../../../contracts/http/webhooks/stored-events.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { QueryEndpoints } from "../endpoints/query-endpoints.handler.ts";

const hour = 3_600_000;
const day = 24 * hour;
const units = await forThisFile(openFreshUnits("webhooks"));
const query = new QueryEndpoints(units.database);
let clock: TestClock; // real time: 2026-03-04T17:00:00Z
let webhooks: WebhooksInstance;
let other: WebhooksInstance;
let receiver: LoopbackReceiver;
let listener: LoopbackReceiver;
let payer: RequestContext;
let id: `we_${string}`;
let subscriber: `we_${string}`;
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock);
  other = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  listener = await LoopbackReceiver.open();
  id = await endpointWith({ disableAfterDays: 2 });
  const listening = { url: listener.url, eventTypes: ["webhook_endpoint.disabled" as const] };
  subscriber = (await webhooks.createEndpoint(payer, listening)).id;
  return async () => {
    receiver.releases();
    await webhooks.stop();
    await other.stop();
    await receiver.close();
    await listener.close();
    await units.database.sql("update endpoint set disable_after_days = null");
    await units.database.sql(
      "update delivery set status = 'Delivered', claimable_at = null, lease_id = null",
    );
  };
});

/** It gets all events, in one attempt each. */
async function endpointWith(settings: { disableAfterDays?: number | null }): Promise<`we_${string}`> {
  const create = { url: receiver.url, eventTypes: ["*" as const], maxAttempts: 1, ...settings };
  return (await webhooks.createEndpoint(payer, create)).id;
}
/** One attempt, of a new event. */
async function attempt(answer: 204 | 500): Promise<void> {
  receiver.answers(answer);
  await webhooks.deliver(statusChange(payer));
}
const status = async (endpoint = id) => (await query.get({ id: endpoint }, payer)).status;
const update = (change: WebhookEndpointPatch) => webhooks.updates.update({ id, change }, payer);
/** Disables what is due, and sends the events of it. */
async function tick(at = webhooks): Promise<number> {
  const disabled = await at.disabling.tick();
  await at.sender.whenIdle();
  return disabled;
}
const disabledEvents = async () =>
  (
    await webhooks.events.list(
      { query: eventQuery.parse({ type: "webhook_endpoint.disabled" }), apiVersion: "v1" },
      payer,
    )
  ).data;

describe("an endpoint with disableAfterDays", () => {
  it("is disabled when the days have passed since its first failed attempt, and not before", async () => {
    await attempt(500);
    clock.advance(day);
    await attempt(500);
    clock.advance(day - 1);
    expect([await tick(), await status()]).toEqual([0, "Enabled"]);
    clock.advance(1);
    expect([await tick(), await status()]).toEqual([1, "Disabled"]);
    expect(await tick(other)).toBe(0);
  });

  it("is sent nothing from then on, and its open deliveries rest until it is enabled", async () => {
    await update({ maxAttempts: 2, backoffSeconds: [86_400] });
    await attempt(500);
    clock.advance(2 * day);
    expect(await tick()).toBe(1);
    expect(await webhooks.sendDue()).toBe(0);
    await webhooks.consume(statusChange(payer));
    receiver.answers(204);
    await update({ status: "Enabled" });
    expect(await webhooks.sendDue()).toBe(1);
    const ofEndpoint = (await webhooks.deliveries(payer)).filter(({ endpointId }) => endpointId === id);
    expect(ofEndpoint).toMatchObject([{ status: "Delivered", attemptCount: 2 }]);
  });

  it("counts from the first failure after a success", async () => {
    await attempt(500);
    clock.advance(day);
    await attempt(204);
    clock.advance(day);
    await attempt(500);
    clock.advance(2 * day - 1);
    expect([await tick(), await status()]).toEqual([0, "Enabled"]);
    clock.advance(1);
    expect([await tick(), await status()]).toEqual([1, "Disabled"]);
  });

  it("counts a test's success and failure like any other attempt", async () => {
    receiver.answers(500);
    await webhooks.tests.test({ id }, payer);
    await webhooks.sender.whenIdle();
    clock.advance(day);
    receiver.answers(204);
    await webhooks.tests.test({ id }, payer);
    await webhooks.sender.whenIdle();
    clock.advance(30 * day);
    expect(await tick()).toBe(0);
    receiver.answers(500);
    await webhooks.tests.test({ id }, payer);
    await webhooks.sender.whenIdle();
    clock.advance(2 * day);
    expect(await tick()).toBe(1);
  });

  it("stays enabled while no attempt fails, however long ago the last success is", async () => {
    await attempt(204);
    clock.advance(30 * day);
    expect([await tick(), await status()]).toEqual([0, "Enabled"]);
  });

  it("does not count what failed on our side", async () => {
    const unlucky = new WebhooksInstance(units, clock, {
      resolve: (_hostname, _options, resolved) =>
        resolved(Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" }), []),
      probes: { resolverAnswers: () => Promise.resolve(false), hasRoute: () => Promise.resolve(true) },
    });
    await update({ url: "http://receiver.example/hooks" });
    await unlucky.deliver(statusChange(payer));
    clock.advance(30 * day);
    expect(await tick()).toBe(0);
    await unlucky.stop();
  });

  it("counts anew when it is enabled again, or gets another url", async () => {
    await attempt(500);
    clock.advance(2 * day);
    expect(await tick()).toBe(1);
    await update({ status: "Enabled" });
    expect(await tick()).toBe(0);
    await attempt(500);
    clock.advance(2 * day - 1);
    expect(await tick()).toBe(0);
    await update({ url: `${receiver.url}&moved=true` });
    clock.advance(2 * day);
    expect(await tick()).toBe(0);
    await attempt(500);
    clock.advance(2 * day);
    expect(await tick()).toBe(1);
    expect(await disabledEvents()).toHaveLength(2);
  });

  it("goes by its setting as it is now, and never without one", async () => {
    await attempt(500);
    await update({ disableAfterDays: 5 });
    clock.advance(3 * day);
    expect(await tick()).toBe(0);
    await update({ disableAfterDays: null });
    clock.advance(30 * day);
    expect(await tick()).toBe(0);
    await update({ disableAfterDays: 1 });
    expect([await tick(), await status()]).toEqual([0, "Enabled"]);
    await attempt(500);
    clock.advance(day);
    expect([await tick(), await status()]).toEqual([1, "Disabled"]);
  });

  it("is disabled once, also by two instances at once, and one that is deleted is not", async () => {
    await attempt(500);
    clock.advance(2 * day);
    const disabled = await Promise.all([tick(), tick(other)]);
    expect(disabled.toSorted((one, another) => one - another)).toEqual([0, 1]);
    expect(await disabledEvents()).toHaveLength(1);
    const deleted = await endpointWith({ disableAfterDays: 1 });
    await attempt(500);
    await webhooks.deletions.delete({ id: deleted }, payer);
    clock.advance(day);
    expect(await tick()).toBe(0);
  });

  it("stays enabled and sends no event if the instance dies before its commit, until another does both", async () => {
    await attempt(500);
    clock.advance(2 * day);
    const dying = new WebhooksInstance(dyingBeforeCommit(units), clock);
    expect(await dying.disabling.tick()).toBe(0);
    expect([await status(), await disabledEvents()]).toEqual(["Enabled", []]);
    expect(await tick(other)).toBe(1);
    expect([await status(), (await disabledEvents()).length]).toEqual(["Disabled", 1]);
    await dying.stop();
  });

  it("waits for the next look if somebody is changing it", async () => {
    await attempt(500);
    clock.advance(2 * day);
    await units.units.run(async ({ sql }) => {
      await sql("select from endpoint where id = $1 for update", [uuidOf(id)]);
      expect(await tick()).toBe(0);
    });
    expect(await tick()).toBe(1);
  });
});

describe("an endpoint without disableAfterDays", () => {
  it("is never disabled, and nothing of its failures is stored", async () => {
    const plain = await endpointWith({});
    await attempt(500);
    clock.advance(30 * day);
    await attempt(500);
    await tick();
    expect(await status(plain)).toBe("Enabled");
    const [row] = await units.database.sql("select failing_since from endpoint where id = $1", [
      uuidOf(plain),
    ]);
    expect(row).toEqual({ failing_since: null });
  });
});

describe("webhook_endpoint.disabled", () => {
  it("goes to the other endpoints that subscribe to it, and not to the one that was disabled", async () => {
    await attempt(500);
    clock.advance(2 * day);
    await tick();
    const [event] = await disabledEvents();
    const expected = {
      id: event?.id,
      type: "webhook_endpoint.disabled",
      created_at: "2026-03-06T17:00:00.000Z",
      data: {
        id,
        host: `127.0.0.1:${String(receiver.port)}`,
        disableAfterDays: 2,
        failingSince: "2026-03-04T17:00:00.000Z",
        occurredAt: "2026-03-06T17:00:00.000Z",
      },
    };
    expect(listener.requests.map(({ body }) => JSON.parse(body.toString()))).toEqual([expected]);
    expect(receiver.requests).toHaveLength(1);
    expect(event).toEqual({ ...expected, objectId: id, sequence: 1 });
  });

  it("is an event also if no endpoint receives it", async () => {
    await webhooks.deletions.delete({ id: subscriber }, payer);
    await attempt(500);
    clock.advance(2 * day);
    await tick();
    expect([listener.requests.length, (await disabledEvents()).length]).toEqual([0, 1]);
  });
});

/** Its transactions are rolled back after their work, as when the process is killed. */
function dyingBeforeCommit(whole: TestUnits): TestUnits {
  const run = (work: (unit: UnitOfWork) => Promise<unknown>) =>
    whole.units.run(async (unit) => {
      await work(unit);
      throw new Error("killed");
    });
  return { ...whole, units: { run } as unknown as TestUnits["units"] };
}
