import { jetstream } from "@nats-io/jetstream";
import { describe, expect, it } from "vitest";
import { durableConsumers } from "../../../contracts/streams.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { provisionConsumer, provisionStreams } from "./provision.ts";

const messaging = await forThisFile(startMessaging());

const configOf = async (stream: string, durable: string) =>
  (await messaging.manager.consumers.info(stream, durable)).config;

describe("the streams", () => {
  it("keep a message until every consumer has it, and refuse new ones when full", async () => {
    const { config } = await messaging.manager.streams.info("CMD");
    expect(config).toMatchObject({
      subjects: ["cmd.>"],
      retention: "interest",
      discard: "new",
      max_bytes: 1_073_741_824,
      storage: "file",
      num_replicas: 1,
    });
  });

  it("have one durable consumer per service, with unlimited redeliveries", async () => {
    expect(await configOf("CMD", "rails")).toMatchObject({
      ack_policy: "explicit",
      deliver_policy: "all",
      max_deliver: -1,
      ack_wait: 6_000_000_000,
      filter_subjects: ["cmd.rails.submit-instruction.v1.*", "cmd.rails.inquire-instruction.v1.*"],
    });
  });

  it("are unchanged by a second provisioning", async () => {
    const before = await configOf("EVT", "orders");
    await provisionStreams(await messaging.connectAs("operator"));
    expect(await configOf("EVT", "orders")).toEqual(before);
  });
});

describe("the dead letters", () => {
  it("of an older version's stream are kept, and get the bounds of this version", async () => {
    await messaging.manager.streams.update("DLQ", {
      max_msgs_per_subject: -1,
      max_msg_size: -1,
      max_bytes: 1024 ** 3,
    });
    await jetstream(await messaging.connectAs("orders")).publish("dlq.orders.evt", "{}");
    await provisionStreams(await messaging.connectAs("operator"));
    const { config, state } = await messaging.manager.streams.info("DLQ");
    expect(state.messages).toBe(1);
    expect(config).toMatchObject({
      subjects: ["dlq.>"],
      retention: "limits",
      discard: "old",
      max_bytes: 4_294_967_296,
      max_msgs_per_subject: 3_000,
      max_msg_size: 278_528,
    });
  });

  it("of one consumer push out only its own, however many they are", async () => {
    await messaging.manager.streams.purge("DLQ");
    // Thousands take seconds, because the server syncs each to the disk.
    await messaging.manager.streams.update("DLQ", { max_msgs_per_subject: 3 });
    await jetstream(await messaging.connectAs("rails")).publish("dlq.rails.cmd", "the oldest of all");
    const webhooks = jetstream(await messaging.connectAs("webhooks"));
    for (let letter = 1; letter <= 10; letter += 1)
      await webhooks.publish("dlq.webhooks.ntf", `flood ${String(letter)}`);
    const { state } = await messaging.manager.streams.info("DLQ", { subjects_filter: ">" });
    expect(state.subjects).toEqual({ "dlq.rails.cmd": 1, "dlq.webhooks.ntf": 3 });
    const oldest = await messaging.manager.streams.getMessage("DLQ", { seq: state.last_seq - 2 });
    expect(oldest?.string()).toBe("flood 8");
    await provisionStreams(await messaging.connectAs("operator"));
  });
});

describe("a consumer", () => {
  const rails = durableConsumers("rails")[0]!;

  it("of an older version gets the subjects that its service consumes now", async () => {
    await messaging.manager.consumers.update("CMD", "rails", {
      filter_subjects: rails.filterSubjects.slice(0, 1),
    });
    expect((await configOf("CMD", "rails")).filter_subjects).toHaveLength(1);
    expect(await provisionConsumer(messaging.manager, rails)).toBe(false);
    expect((await configOf("CMD", "rails")).filter_subjects).toEqual(rails.filterSubjects);
  });

  it("keeps the subjects of a newer version when an older one starts beside it", async () => {
    const older = { ...rails, filterSubjects: rails.filterSubjects.slice(0, 1) };
    await provisionConsumer(messaging.manager, older);
    expect((await configOf("CMD", "rails")).filter_subjects).toEqual(rails.filterSubjects);
  });
});

describe("what is missing", () => {
  it("is made again, and named", async () => {
    const operator = await messaging.connectAs("operator");
    await messaging.manager.consumers.delete("EVT", "orders");
    await messaging.manager.streams.delete("CMD");
    expect((await provisionStreams(operator)).created).toEqual([
      "stream CMD",
      "consumer orders of EVT",
      "consumer ledger of CMD",
      "consumer rails of CMD",
    ]);
    expect((await provisionStreams(operator)).created).toEqual([]);
  });

  it("is not what cannot be read: without the right, nothing is created", async () => {
    const orders = await messaging.connectAs("orders");
    await expect(provisionStreams(orders)).rejects.toThrow();
  });
});
