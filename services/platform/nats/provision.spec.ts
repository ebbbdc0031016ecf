import { expect, it } from "vitest";
import { streamConfig } from "./provision.ts";

it("a stream keeps its replicas, unless others are asked for; a new one has one", () => {
  expect(streamConfig("CMD").num_replicas).toBe(1);
  expect(streamConfig("CMD", { num_replicas: 3 }).num_replicas).toBe(3);
  expect(streamConfig("CMD", { num_replicas: 3 }, 5).num_replicas).toBe(5);
});
