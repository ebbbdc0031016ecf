/**
 * Sends deliveries to bad receivers, and prints what is left of them: `node --expose-gc bad-receivers-client.ts`, with
 * its task as JSON in the first argument. A process of its own, so that all it holds is the sender's.
 */
import { setTimeout as delay } from "node:timers/promises";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { SystemClock } from "../../../services/webhooks/process-clock.ts";
import type { LeasedDelivery } from "../../../services/webhooks/deliveries/domain/delivery.ts";
import { EndpointQueue } from "../../../services/webhooks/deliveries/http/endpoint-queue.ts";
import { guardedConnector } from "../../../services/webhooks/deliveries/http/guarded-connector.ts";
import { NetworkProbes } from "../../../services/webhooks/deliveries/http/own-faults.ts";
import { post } from "../../../services/webhooks/deliveries/http/post.ts";
import { allowedRanges } from "../../../services/webhooks/endpoints/domain/safe-target.ts";

export interface Task {
  readonly receivers: readonly { readonly url: string; readonly timeoutMs: number }[];
  readonly each: number;
  readonly connections: number;
}

export interface Left {
  /** How the attempts at each URL ended, by class. */
  readonly classes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Sockets and timers that keep the process running, before and after. */
  readonly handles: readonly [readonly string[], readonly string[]];
  readonly heapMiB: readonly [number, number];
  readonly residentMiB: readonly [number, number];
}

const clock = new SystemClock();
const connector = guardedConnector(allowedRanges(["127.0.0.0/8"]), {
  probes: new NetworkProbes(),
  resolve: (_hostname, _options, resolved) =>
    setImmediate(() => resolved(null, [{ address: "127.0.0.1", family: 4 }])),
});
const body = Buffer.from(JSON.stringify({ type: "test.event", data: "x".repeat(500) }));

function delivery(url: string): LeasedDelivery {
  const endsAt = new Date(clock.now().getTime() + 3_600_000);
  const endpoint = {
    endpointId: newUuid(),
    book: newUuid(),
    url,
    eventTypes: [],
    apiVersion: "v1",
    maxAttempts: null,
    backoffMs: null,
    ratePerSecond: null,
    countsFailingDays: false,
    secrets: [],
    readAtMs: clock.elapsedMs(),
  };
  return {
    id: newUuid(),
    eventId: "evt_1",
    body: "",
    attemptCount: 0,
    attemptsAllowed: 3,
    acknowledgedBefore: false,
    lease: { id: newUuid(), endsAt },
    endpoint,
  } as unknown as LeasedDelivery;
}

/** Sends so many deliveries through one queue, and closes it. */
async function sendAll({ url, timeoutMs }: Task["receivers"][number], count: number, connections: number) {
  const one = delivery(url);
  const queue = new EndpointQueue(one.endpoint, { connector, concurrency: connections, clock });
  for (let added = 0; added < count; added++) queue.add(one);
  const classes: Record<string, number> = {};
  const work = async () => {
    for (let sending = queue.next(clock.now(), timeoutMs); sending !== undefined; ) {
      const request = { path: sending.path, headers: { "content-type": "application/json" }, body };
      const result = await post(sending.connection, request, clock, timeoutMs);
      queue.markSent(sending, result.durationMs);
      queue.markRecorded(sending.delivery);
      const errorClass = result.errorClass ?? "acknowledged";
      classes[errorClass] = (classes[errorClass] ?? 0) + 1;
      sending = queue.next(clock.now(), timeoutMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  await queue.close();
  return classes;
}

const sendToEach = async (task: Task, count: number) =>
  Object.fromEntries(
    await Promise.all(
      task.receivers.map(
        async (receiver) => [receiver.url, await sendAll(receiver, count, task.connections)] as const,
      ),
    ),
  );

async function settled() {
  // Closed sockets leave in the next turns of the event loop, and what they held in the next collections.
  for (let turn = 0; turn < 5; turn++) {
    await delay(100);
    globalThis.gc?.();
  }
  const { heapUsed, rss } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().filter((name) => name !== "Timeout");
  return { handles, heapMiB: heapUsed / 2 ** 20, residentMiB: rss / 2 ** 20 };
}

const task = JSON.parse(process.argv[2] ?? "") as Task;
await sendToEach(task, Math.ceil(task.each / 10)); // loads what is loaded once
const before = await settled();
const classes = await sendToEach(task, task.each);
const after = await settled();
const left: Left = {
  classes,
  handles: [before.handles, after.handles],
  heapMiB: [before.heapMiB, after.heapMiB],
  residentMiB: [before.residentMiB, after.residentMiB],
};
process.stdout.write(JSON.stringify(left));
