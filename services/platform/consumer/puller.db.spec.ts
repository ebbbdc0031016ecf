import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { InquireInstruction } from "../../../contracts/messages/rails.ts";
import { durableConsumers } from "../../../contracts/streams.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { inquire, inquiryFor, named, newBook } from "../../../test/stack/messages/poisonable-consumer.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { Puller } from "./puller.ts";

const messagesPerEnvelope = 100;
const envelopes = 400;

const messaging = await forThisFile(startMessaging());
const nats = await messaging.connectAs("rails");
const config = durableConsumers("rails").find(({ stream }) => stream === "CMD")!;
const pending = async () => (await messaging.manager.consumers.info("CMD", "rails")).num_ack_pending;

let puller: Puller;
let running: Promise<void>;
beforeEach(async () => {
  const messages = named("backlog", messagesPerEnvelope).map((subject) => inquiryFor(newBook(), subject));
  for (let index = 0; index < envelopes; index += 1) await messaging.publish(inquire, { messages });
  const types = new Map([[InquireInstruction.subject, InquireInstruction]]);
  const parts = { nats, log: pino({ level: "silent" }), config };
  puller = new Puller(parts, types, () => undefined);
  running = puller.run();
});
afterEach(async () => {
  puller.stop();
  await running;
  await messaging.manager.streams.purge("CMD");
});

it("pulls ten full batches ahead, and more as they are taken", async () => {
  // A hundred envelopes are queued then, and others that were pulled wait behind them.
  const isFull = async () => puller.messageCount >= 10_000 && (await pending()) >= 150;
  await until("envelopes beyond those that are queued", isFull);
  expect(puller.messageCount).toBe(10_000);
  let taken = 0;
  await until("the whole backlog", () => {
    const batch = puller.take(1_000);
    expect(batch.length).toBeLessThanOrEqual(10);
    for (const { envelope } of batch) envelope.ack();
    taken += batch.length;
    expect(puller.messageCount).toBeLessThanOrEqual(10_000);
    return Promise.resolve(taken === envelopes);
  });
});

it("stops although its queue is full", async () => {
  await until("a full queue", () => Promise.resolve(puller.messageCount >= 10_000));
  puller.stop();
  await running;
  puller.returnAll();
  expect(puller.messageCount).toBe(0);
});
