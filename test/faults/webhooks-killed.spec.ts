/** What tenants get while webhooks is killed: nothing is lost, nothing is changed. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { WebhookReplay } from "../../contracts/http/webhooks/replays.ts";
import type { WebhookStatement, WebhookStatementLine } from "../../contracts/http/webhooks/statement.ts";
import { idOf, newId } from "../../contracts/ids/ids.ts";
import { until } from "../stack/until.ts";
import { createEndpoint } from "../world/patience/endpoints.ts";
import { sendPatiently } from "../world/patience/patiently.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { FailingReceiver } from "./inject/failing-receiver.ts";
import { RandomFaults } from "./inject/random-faults.ts";

/** Each has four events: submitted, pending, processing and completed. */
const orderCount = 1_250;
const ordersAtOnce = 16;
const kills = 8;
/** Each endpoint gets a new secret at four kills: it may have five. */
const endpoints = 2;
const maxPauseMs = 1_500;

interface Delivery {
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempt_count: number;
  /** Attempts that the receiver answered. */
  readonly answered: number;
}

describe("both instances of webhooks killed at random while receivers fail a third of the time", () => {
  let world: OwnWorld;
  let random: RandomFaults;
  const receivers = new Map<string, FailingReceiver>();
  beforeAll(async () => {
    random = RandomFaults.of("webhooks-killed");
    world = await OwnWorld.start({
      instances: 2,
      env: { WEBHOOK_TIMEOUT_MS: "1000", WEBHOOK_LEASE_MS: "3000", WEBHOOK_BACKOFF_MS: "300,600" },
    });
    for (let index = 0; index < endpoints; index += 1) {
      const receiver = await FailingReceiver.open(random);
      const body = { url: receiver.url, eventTypes: ["*"] };
      const endpoint = await createEndpoint(world, world.tenant.keys.maker, body);
      receiver.trust(endpoint.signingSecret);
      receivers.set(endpoint.id, receiver);
    }
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([...receivers.values()].map((receiver) => receiver.close()));
  });

  it("every event is delivered or dead, with the same bytes each time", async () => {
    const startedAt = new Date().toISOString();
    const flow = payOverBook(world);
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(random.between(0, maxPauseMs));
      const instances = world.instancesOf("webhooks");
      const killed = random.next() < 0.3 ? instances : [random.pick(instances)];
      const during = rotate(world, [...receivers][kill % endpoints]);
      await Promise.all(killed.map((instance) => world.killAndReplace(instance)));
      await during;
      if (kill % 3 === 1) await replay(world, [...receivers.keys()][kill % endpoints], startedAt);
    }
    await flow;
    await until("every replay has ended", () => areReplayed(world));
    await until("every delivery has ended", () => areEnded(world));
    const lines = await linesOf(world, startedAt);

    const events = await world.rows<{ id: string }>("select id::text from webhooks.event");
    expect(events.length).toBeGreaterThanOrEqual(4 * orderCount);
    for (const [endpoint, receiver] of receivers) {
      const deliveries = (await deliveriesOf(world)).filter(
        ({ endpoint_id: id }) => idOf("we", id) === endpoint,
      );
      expect(new Set(deliveries.map(({ event_id: id }) => id)).size).toBe(events.length);
      expect(deliveries).toHaveLength(events.length);
      expect(deliveries.filter((delivery) => !agrees(delivery, receiver))).toEqual([]);
      expect([...receiver.receipts.values()].filter(({ bodies }) => bodies.size > 1)).toEqual([]);
      const dead = deliveries.filter(({ status }) => status === "DeadLettered").length;
      const counts = {
        committed: events.length,
        delivered: events.length - dead,
        dead,
        pending: 0,
        cancelled: 0,
      };
      expect(lines.find(({ endpointId }) => endpointId === endpoint)).toEqual({
        endpointId: endpoint,
        ...counts,
      });
      // A third of the attempts fails, so about one delivery of 27 is dead.
      expect(dead).toBeGreaterThan(0);
      expect(receiver.forged).toBe(0);
      expect(receiver.maxSignatures).toBeGreaterThanOrEqual(3);
    }
  });
});

/** Gives an endpoint one more secret. The older ones go on signing for a day. */
async function rotate(world: OwnWorld, to: [string, FailingReceiver] | undefined): Promise<void> {
  const [endpoint, receiver] = to ?? [];
  const path = `/v1/webhook-endpoints/${endpoint}`;
  const headers = { "idempotency-key": newId("req") };
  await until("a new secret", async () => {
    const rotated = await world.post<{ signingSecret: string }>(`${path}/rotate-secret`, {}, { headers });
    if (rotated.status !== 200) return false;
    receiver?.trust(rotated.body.signingSecret);
    return true;
  });
}

/** Sends again what has ended at an endpoint since then, beside the new events. */
async function replay(world: OwnWorld, endpointId: string | undefined, since: string): Promise<void> {
  const headers = { "idempotency-key": newId("req") };
  const body = { endpointId, since, until: new Date().toISOString() };
  // Both instances may have just been replaced, and a start takes seconds beside other work.
  await until("a replay", async () => {
    const { status } = await world.post("/v1/webhooks/replay", body, { headers });
    return status === 202;
  });
}

/** Creates the orders, some at once. Both accounts are the tenant's own, so that no rail takes its time. */
async function payOverBook(world: OwnWorld): Promise<void> {
  const { maker } = world.tenant.keys;
  const [from, to] = await Promise.all(
    ["Operating", "Payroll"].map((name) =>
      sendPatiently<LedgerAccount>(world, maker, "POST", "/v1/ledger-accounts", { body: { name } }),
    ),
  );
  const terms = { direction: "Credit", rail: "Book", ledgerAccountId: from?.body.id, amountCents: 100 };
  const body = { ...terms, counterpartyAccountNumber: to?.body.id };
  let left = orderCount;
  const pay = async () => {
    while (left > 0) {
      left -= 1;
      const created = await sendPatiently(world, maker, "POST", "/v1/payment-orders", { body });
      expect(created.status).toBe(201);
    }
  };
  await Promise.all(Array.from({ length: ordersAtOnce }, pay));
  await until("every order is completed", async () => {
    const [row] = await world.rows<{ count: number }>(
      "select count(*)::int as count from orders.payment_order where status = 'Completed'",
    );
    return row?.count === orderCount;
  });
}

/** The lines of the statements since then. The test may run over midnight. */
async function linesOf(world: OwnWorld, since: string): Promise<WebhookStatementLine[]> {
  const days = new Set([since, new Date().toISOString()].map((time) => time.slice(0, 10)));
  const sums = new Map<string, WebhookStatementLine>();
  for (const day of days) {
    const path = `/v1/webhooks/statement?date=${day}`;
    const { body } = await sendPatiently<WebhookStatement>(world, world.tenant.keys.maker, "GET", path);
    for (const line of body.data) {
      const sum = sums.get(line.endpointId);
      sums.set(line.endpointId, sum === undefined ? line : added(sum, line));
    }
  }
  return [...sums.values()];
}

function added(one: WebhookStatementLine, other: WebhookStatementLine): WebhookStatementLine {
  return {
    endpointId: one.endpointId,
    committed: one.committed + other.committed,
    delivered: one.delivered + other.delivered,
    dead: one.dead + other.dead,
    pending: one.pending + other.pending,
    cancelled: one.cancelled + other.cancelled,
  };
}

async function areReplayed(world: OwnWorld): Promise<boolean> {
  const { maker } = world.tenant.keys;
  const path = "/v1/webhooks/replay";
  const { data } = (await sendPatiently<{ data: WebhookReplay[] }>(world, maker, "GET", path)).body;
  return data.length > 1 && data.every(({ status }) => status === "Done");
}

/** No event waits in an outbox or the stream for its deliveries, and no delivery is open. */
async function areEnded(world: OwnWorld): Promise<boolean> {
  const [row] = await world.rows<{ events: number; open: number }>(
    `select (select count(*)::int from webhooks.event) as events,
       (select count(*)::int
        from webhooks.delivery
        where filed_status in ('Pending', 'Retrying') or (status = 'Pending' and attempt_count = 0)) as open`,
  );
  return row !== undefined && row.events >= 4 * orderCount && row.open === 0;
}

function deliveriesOf(world: OwnWorld): Promise<Delivery[]> {
  return world.rows<Delivery>(
    `select endpoint_id::text, event_id::text, status, attempt_count,
       (select count(*)::int
        from webhooks.attempt
        where delivery_id = delivery.id and response_status is not null) as answered
     from webhooks.delivery`,
  );
}

/**
 * A receiver may have got more requests than attempts are recorded: an instance was killed before it recorded what it
 * had sent. It got each one that it answered; a request that timed out on a busy machine may not have reached it.
 */
function agrees(
  { event_id: event, status, attempt_count: attempts, answered }: Delivery,
  receiver: FailingReceiver,
): boolean {
  const receipt = receiver.receipts.get(idOf("evt", event));
  if ((receipt?.requests ?? 0) < answered) return false;
  if (status === "Delivered") return (receipt?.acknowledged ?? 0) > 0;
  return status === "DeadLettered" && attempts >= 3;
}
