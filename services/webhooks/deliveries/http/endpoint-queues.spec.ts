import { expect, it } from "vitest";
import { TestClock } from "../../../../test/stack/services/webhooks.ts";
import type { LeasedDelivery, ResolvedEndpoint } from "../domain/delivery.ts";
import { EndpointQueues } from "./endpoint-queues.ts";
import type { GuardedConnector } from "./guarded-connector.ts";

const maxQueues = 1_024;
const clock = new TestClock();

function endpoint(number: number, ratePerSecond: number | null = null): ResolvedEndpoint {
  return {
    endpointId: `endpoint ${String(number)}`,
    book: "a book",
    url: "https://hooks.example/here",
    eventTypes: ["*"],
    apiVersion: "v1",
    maxAttempts: null,
    backoffMs: null,
    ratePerSecond,
    countsFailingDays: true,
    secrets: [],
    readAtMs: clock.elapsedMs(),
  };
}

function deliveryTo(to: ResolvedEndpoint, attemptCount = 0): LeasedDelivery {
  return {
    id: "a delivery",
    eventId: "an event",
    body: "{}",
    attemptCount,
    attemptsAllowed: 3,
    acknowledgedBefore: false,
    newestSecretOnly: false,
    lease: { id: "a lease", endsAt: new Date(clock.now().getTime() + 60_000) },
    endpoint: to,
  };
}

const queuesOf = () =>
  new EndpointQueues({ clock, concurrency: 2, connector: undefined as unknown as GuardedConnector });
const fill = (queues: EndpointQueues, to: ResolvedEndpoint) => queues.of(to).add(deliveryTo(to));

it("keeps the queue that is about to be used, even if all others are busy", () => {
  const queues = queuesOf();
  for (let number = 0; number < maxQueues; number += 1) fill(queues, endpoint(number));
  const one = endpoint(maxQueues);
  expect(queues.of(one)).toBe(queues.of(one));
});

it("closes an idle queue once the attempts that its rate counts are a second old", () => {
  const queues = queuesOf();
  const limited = endpoint(0, 1);
  const first = queues.of(limited);
  first.add(deliveryTo(limited));
  const sending = first.next(clock.now(), 1_000);
  if (sending === undefined) throw new Error("nothing was sent");
  first.markSent(sending, 1);
  first.markRecorded(sending.delivery);
  for (let number = 1; number <= maxQueues; number += 1) fill(queues, endpoint(number));
  expect(queues.all()).toContain(first);
  clock.advance(1_000);
  fill(queues, endpoint(maxQueues + 1));
  expect(queues.all()).not.toContain(first);
});

it("lets first attempts and retries take turns where a rate limits both", () => {
  const limited = endpoint(0, 10);
  const queue = queuesOf().of(limited);
  for (let count = 0; count < 3; count += 1) queue.add(deliveryTo(limited, 1));
  for (let count = 0; count < 10; count += 1) queue.add(deliveryTo(limited));
  const started: number[] = [];
  for (let sending = queue.next(clock.now(), 1_000); sending !== undefined; ) {
    started.push(sending.delivery.attemptCount);
    queue.markSent(sending, 1);
    sending = queue.next(clock.now(), 1_000);
  }
  expect(started).toEqual([0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
});
