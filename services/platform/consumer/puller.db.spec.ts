import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newUuid } from "../../../contracts/ids/ids.ts";
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

it("pulls ten full batches ahead, and more as they are taken, each envelope once", async () => {
  await until("a full queue", () => puller.messageCount === 10_000);
  expect(await pending()).toBe(100);
  const seen: number[] = [];
  await until("the whole backlog", () => {
    for (const { envelope } of puller.queue) envelope.working();
    for (const { envelope } of puller.take(1_000)) {
      envelope.ack();
      seen.push(envelope.seq);
    }
    expect(puller.messageCount).toBeLessThanOrEqual(10_000);
    return seen.length >= envelopes;
  });
  expect(new Set(seen).size).toBe(envelopes);
});

it("stops although its queue is full", async () => {
  await until("a full queue", () => puller.messageCount >= 10_000);
  puller.stop();
  await running;
  puller.returnAll();
  expect(puller.messageCount).toBe(0);
});

it("returns its queue when it is paused, and pulls nothing until it is resumed", async () => {
  const info = () => messaging.manager.consumers.info("CMD", "rails");
  const acknowledge = () => {
    for (const { envelope } of puller.take(1_000)) envelope.ack();
  };
  await until("an empty stream and an open pull", async () => {
    acknowledge();
    const { num_pending, num_ack_pending, num_waiting } = await info();
    return num_pending === 0 && num_ack_pending === 0 && num_waiting === 1;
  });
  const message = inquiryFor(newBook(), "before");
  await messaging.publish(inquire, { messages: [message] });
  await until("the message", () => puller.messageCount === 1);
  puller.pause(60_000);
  await until("no pull", async () => (await info()).num_waiting === 0);
  const { delivered } = await info();
  await messaging.publish(inquire, { messages: [{ ...message, id: newUuid(), subject: "after" }] });
  await until("a message in the stream", async () => (await info()).num_pending === 1);
  expect((await info()).delivered.consumer_seq).toBe(delivered.consumer_seq);
  expect(puller.messageCount).toBe(0);
  puller.resume();
  await until("the message after the pause", () => puller.messageCount === 1);
});
