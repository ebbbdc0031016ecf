import { describe, expect, it } from "vitest";
import { services } from "./message.ts";
import { durableConsumers, streamOf, streamsPublishedBy } from "./streams.ts";
import { topology } from "./topology.ts";

const consumersOf = (subject: string) =>
  services.filter((service) => topology[service].consumes.some((type) => type.subject === subject));

describe("the stream NTF", () => {
  it.each(services.flatMap((service) => topology[service].consumes.map(({ subject }) => subject)))(
    "carries %s exactly if webhooks alone consumes it",
    (subject) => {
      expect(streamOf(subject) === "NTF").toBe(consumersOf(subject).join() === "webhooks");
    },
  );

  it("is the only one that webhooks consumes, so that no other stream fills while it is down", () => {
    expect(durableConsumers("webhooks").map(({ stream }) => stream)).toEqual(["NTF"]);
  });
});

it("names the streams that each service publishes to", () => {
  expect(Object.fromEntries(services.map((service) => [service, streamsPublishedBy(service)]))).toEqual({
    gateway: ["EVT"],
    orders: ["CMD", "EVT", "NTF"],
    ledger: ["EVT", "NTF"],
    rails: ["EVT", "NTF"],
    webhooks: [],
  });
});
