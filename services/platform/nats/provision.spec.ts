import { expect, it } from "vitest";
import { durableConsumers, streams } from "../../../contracts/streams.ts";
import { streamConfig } from "./provision.ts";

it("a stream keeps its replicas, unless others are asked for; a new one has one", () => {
  expect(streamConfig("CMD").num_replicas).toBe(1);
  expect(streamConfig("CMD", { num_replicas: 3 }).num_replicas).toBe(3);
  expect(streamConfig("CMD", { num_replicas: 3 }, 5).num_replicas).toBe(5);
});

it("the dead letters of all consumers fit, so that one consumer's never push out another's", () => {
  const storedBeside = 100; // the server stores the subject and some numbers with each message
  const { maxBytes, maxMessageBytes, maxMessagesPerSubject } = streams.DLQ;
  const most = durableConsumers().length * maxMessagesPerSubject * (maxMessageBytes + storedBeside);
  expect(most).toBeLessThan(maxBytes);
});
