import { jetstream } from "@nats-io/jetstream";
import { pino } from "pino";
import { afterAll, afterEach, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { Metrics } from "../observability/metrics.ts";
import { ConsumerLag } from "./consumer-lag.ts";
import { DeadLetters } from "./dead-letters.ts";
import { provisionStreams } from "./provision.ts";
import { StreamFill } from "./stream-fill.ts";

// A real server, and the ledger's own permissions. No service runs, so its consumers stand still.
const messaging = await forThisFile(startMessaging());
const nats = await messaging.connectAs("ledger");
const metrics = new Metrics("ledger");
const log = pino({ level: "silent" });
const lag = new ConsumerLag("ledger", nats, metrics, log);
const letters = new DeadLetters(nats, metrics, log);
const fill = new StreamFill("ledger", nats, metrics, log);
const workers = [lag, letters, fill];
for (const worker of workers) worker.start();
afterAll(() => Promise.all(workers.map((worker) => worker.stop())));
afterEach(async () => {
  for (const stream of ["CMD", "DLQ"]) await messaging.manager.streams.purge(stream);
});

/** The lines of a metric, measured now. */
const lines = async (name: string) => {
  for (const worker of workers) worker.wake();
  return (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith(`${name}{`));
};
const line = async (start: string) =>
  (await lines(start.split("{", 1)[0]!)).find((one) => one.startsWith(start));
const publish = () => messaging.publish("cmd.ledger.place-hold.v1.p00", { messages: [] });
const lagOfCommands = () => line('quittance_consumer_lag_envelopes{stream="CMD"');
const dies = (subject: string) => jetstream(nats).publish(subject, "a letter");

it("counts what a consumer has not acknowledged, whether it was sent or not", async () => {
  await expect.poll(lagOfCommands).toMatch(/ 0$/);
  for (let count = 1; count <= 3; count += 1) await publish();
  await expect.poll(lagOfCommands).toMatch(/ 3$/);
  const consumer = await jetstream(await messaging.connectAs("operator")).consumers.get("CMD", "ledger");
  const taken = await consumer.next();
  await until(async () => (await consumer.info()).num_ack_pending === 1);
  await publish();
  await expect.poll(lagOfCommands).toMatch(/ 4$/);
  taken?.ack();
  await expect.poll(lagOfCommands).toMatch(/ 3$/);
});

it("says nothing of a consumer that is missing, and goes on with the others", async () => {
  await messaging.manager.consumers.delete("CMD", "ledger");
  await expect.poll(lagOfCommands).toBeUndefined();
  expect(await lines("quittance_consumer_lag_envelopes")).toEqual([
    'quittance_consumer_lag_envelopes{stream="EVT",service="ledger"} 0',
  ]);
  await provisionStreams(await messaging.connectAs("operator"), 1);
  await expect.poll(lagOfCommands).toMatch(/ 0$/);
});

it("counts the dead letters that are left of each consumer, also after they were dropped", async () => {
  const left = () =>
    lines("quittance_dead_letters").then((all) => all.filter((one) => !one.endsWith(" 0")).sort());
  expect(await left()).toEqual([]);
  const { seq } = await dies("dlq.ledger.cmd");
  await dies("dlq.ledger.cmd");
  await jetstream(await messaging.connectAs("webhooks")).publish("dlq.webhooks.ntf", "a letter");
  const other = 'quittance_dead_letters{consumer="webhooks",stream="NTF",service="ledger"} 1';
  await expect
    .poll(left)
    .toEqual(['quittance_dead_letters{consumer="ledger",stream="CMD",service="ledger"} 2', other]);
  await messaging.manager.streams.deleteMessage("DLQ", seq);
  await expect
    .poll(left)
    .toEqual(['quittance_dead_letters{consumer="ledger",stream="CMD",service="ledger"} 1', other]);
  await messaging.manager.streams.purge("DLQ");
  await expect.poll(left).toEqual([]);
});

it("measures how full the stream of dead letters is", async () => {
  await dies("dlq.ledger.cmd");
  await expect.poll(() => line('quittance_stream_fill_ratio{stream="DLQ"')).toMatch(/ [1-9].*e-\d+$/);
});
