import { Controller, Module } from "@nestjs/common";
import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { InquireInstruction, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { submissionOf } from "../../../test/stack/services/rails.ts";
import { createDatabase } from "../../../test/stack/servers/database.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { Consumes } from "../handlers/decorators.ts";
import { createMessage } from "../messages/message.ts";
import { provisionStreams } from "../nats/provision.ts";
import { Metrics } from "../observability/metrics.ts";
import { PlatformModule } from "../platform.module.ts";
import { platformConfig, readConfig } from "../process/config.ts";
import { ReadinessGauge } from "../process/readiness-gauge.ts";
import { startService } from "../run-service.ts";

let taken: string[] = [];
let lettersBefore = 0;

@Controller()
class TakeDown {
  @Consumes(SubmitInstruction, InquireInstruction)
  take(messages: readonly { subject: string }[]): Promise<void> {
    taken.push(...messages.map(({ subject }) => subject));
    return Promise.resolve();
  }
}

@Module({})
class TakeDownModule {}

const [messaging, database] = await Promise.all([
  forThisFile(startMessaging()),
  forThisFile(createDatabase("rails")),
]);
const config = readConfig(platformConfig, messaging.environment("rails", database.urlOf("rails")));
const imports = [PlatformModule.forService({ service: "rails", config })];
const service = await forThisFile(
  startService({ module: TakeDownModule, imports, controllers: [TakeDown] }, config, "rails"),
);
beforeEach(async () => {
  taken = [];
  lettersBefore = messaging.deadLetters.length;
  await messaging.manager.streams.purge("CMD");
});

interface Metric {
  get(): Promise<{ values: { value: number }[] }>;
}

const book = bookIdOf(newId("ten"), "Test");
const inquiry = (subject: string) =>
  createMessage(InquireInstruction, { book, subject, data: { orderId: newId("po") } });
const newer = (subject: string) => ({ ...inquiry(subject), type: "rails.inquire-again.v1" });
const publish = (...messages: object[]) =>
  messaging.publish("cmd.rails.inquire-instruction.v1.p00", { messages });
const newLetters = () => messaging.deadLetters.slice(lettersBefore);
const readiness = async () => (await fetch(`${service.url}/readyz`)).json() as Promise<unknown>;
const consumer = () => messaging.manager.consumers.info("CMD", "rails");
const provision = async () => (await provisionStreams(await messaging.connectAs("operator"))).created;
const valueOf = async (metric: Metric) => (await metric.get()).values.map(({ value }) => value);
/** What the gauges of readiness say, measured now. */
const measured = async () => {
  service.app.get(ReadinessGauge).wake();
  const metrics = service.app.get(Metrics);
  const { values } = await metrics.gauge<"part">("missing_parts", "").get();
  return {
    ready: await valueOf(metrics.gauge("ready", "")),
    missing: values.map(({ labels }) => labels.part),
  };
};

describe("a service is not ready", () => {
  it("while its consumer is missing at the server, until an operator has made it again", async () => {
    await messaging.manager.consumers.delete("CMD", "rails");
    await expect.poll(readiness).toEqual({ status: "not ready", missing: ["consumer rails of CMD"] });
    await expect.poll(measured).toEqual({ ready: [0], missing: ["consumer rails of CMD"] });
    expect(await provision()).toEqual(["consumer rails of CMD"]);
    await expect.poll(readiness).toEqual({ status: "ready" });
    await expect.poll(measured).toEqual({ ready: [1], missing: [] });
    await publish(inquiry("anew"));
    await until(() => taken.includes("anew"));
  });

  it("while a stream is missing, until an operator has made it again", async () => {
    await messaging.manager.streams.delete("CMD");
    const missing = ["stream CMD", "consumer rails of CMD"];
    await expect.poll(readiness).toEqual({ status: "not ready", missing });
    expect(await provision()).toEqual(["stream CMD", "consumer ledger of CMD", "consumer rails of CMD"]);
    await expect.poll(readiness).toEqual({ status: "ready" });
    await publish(inquiry("afresh"));
    await until(() => taken.includes("afresh"));
  });
});

describe("a message of a newer version", () => {
  it("is given back and counted, and the others of its envelope are handled; none is dead-lettered", async () => {
    await publish(inquiry("first"), newer("newer"), inquiry("second"));
    await publish(inquiry("third"));
    await until(() => taken.length === 3);
    expect(taken).toEqual(["first", "second", "third"]);
    await until(async () => (await consumer()).num_ack_pending === 1);
    const unknown = service.app.get(Metrics).counter<"stream">("consumer_unknown_messages_total", "");
    expect(await valueOf(unknown)).toEqual([1]);
    expect(newLetters()).toEqual([]);
    await expect.poll(readiness).toEqual({ status: "ready" });
  });

  it("is one with an enum value that this version does not know; one of another shape is dead-lettered", async () => {
    const submission = submissionOf(book, { rail: "Ach" });
    const withRail = (rail: unknown) => ({ ...submission, data: { ...submission.data, rail } });
    const send = (message: object) =>
      messaging.publish("cmd.rails.submit-instruction.v1.p00", { messages: [message] });
    await send(withRail("FedNow"));
    await send(withRail(7));
    await send(submission);
    await until(() => taken.length === 1);
    await until(async () => (await consumer()).num_ack_pending === 1);
    expect(taken).toEqual([submission.subject]);
    expect(newLetters()).toMatchObject([{ reason: expect.stringContaining("rail") as string }]);
    await expect.poll(readiness).toEqual({ status: "ready" });
  });

  it("leaves what no version can read in its envelope to the version that can read the rest", async () => {
    const letters = async () => (await messaging.manager.streams.info("DLQ")).state.messages;
    const before = await letters();
    const unreadable = { ...inquiry("unreadable"), data: { orderId: "po_nonsense" } };
    await publish(newer("newer"), unreadable, inquiry("readable"));
    await until(() => taken.includes("readable"));
    // What is dead-lettered is stored before anything of its envelope is applied.
    expect(await letters()).toBe(before);
  });

  // The last test, because it leaves the consumer stopped. The tests before it may have left three messages in hand.
  it("stops the consumer when a hundred are in hand: what comes then waits in the stream", async () => {
    for (let count = 1; count <= 96; count += 1) await publish(newer("newer"));
    await publish(inquiry("between"));
    await until(() => taken.includes("between"));
    await expect.poll(readiness).toEqual({ status: "ready" });
    for (let count = 1; count <= 4; count += 1) await publish(newer("newer"));
    await expect.poll(readiness).toEqual({
      status: "not ready",
      missing: ["a newer version for messages of CMD"],
    });
    expect(await valueOf(service.app.get(Metrics).gauge<"stream">("consumer_halted", ""))).toEqual([1]);
    await publish(inquiry("after"));
    await until(async () => (await consumer()).num_pending > 0);
    expect(taken).toEqual(["between"]);
    expect(newLetters()).toEqual([]);
  });
});
