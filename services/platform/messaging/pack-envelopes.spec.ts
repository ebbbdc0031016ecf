import { describe, expect, it } from "vitest";
import type { OutboxRow } from "./outbox.ts";
import { packEnvelopes } from "./relay.ts";

const row = (factId: string, subject = "evt.a", fact = `{"id":"${factId}"}`): OutboxRow => ({
  day: "2026-03-04",
  factId,
  subject,
  fact,
});
const many = (count: number, fact: string) =>
  Array.from({ length: count }, (_, i) => row(String(i), "evt.a", fact));

describe("an envelope", () => {
  it("holds facts of one subject, in their order, as they rest", () => {
    const packed = packEnvelopes([row("1"), row("2", "evt.b"), row("3")]);
    expect(packed.map(({ subject, body }) => [subject, body])).toEqual([
      ["evt.a", '{"facts":[{"id":"1"},{"id":"3"}]}'],
      ["evt.b", '{"facts":[{"id":"2"}]}'],
    ]);
    expect(packed.map(({ rows }) => rows.map(({ factId }) => factId))).toEqual([["1", "3"], ["2"]]);
  });

  it("holds at most 100 facts", () => {
    const sizes = packEnvelopes(many(250, "{}")).map(({ rows }) => rows.length);
    expect(sizes).toEqual([100, 100, 50]);
  });

  // In UTF-8, as it travels: 10 facts have 21 bytes around them, and 262,144 are allowed.
  it.each([
    [26_212, [10, 1]],
    [26_213, [9, 2]],
  ])("holds at most 256 KiB: 11 facts of %i bytes make envelopes of %j", (bytes, expected) => {
    const fact = JSON.stringify("é".repeat((bytes - 2) >> 1) + (bytes % 2 === 1 ? "e" : ""));
    expect(Buffer.byteLength(fact)).toBe(bytes);
    const packed = packEnvelopes(many(11, fact));
    expect(packed.map(({ rows }) => rows.length)).toEqual(expected);
    for (const { body } of packed) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(262_144);
  });

  it("carries a single fact that is larger alone: it must go out some way", () => {
    const packed = packEnvelopes([row("1"), row("2", "evt.a", `"${"x".repeat(300_000)}"`), row("3")]);
    expect(packed.map(({ rows }) => rows.map(({ factId }) => factId))).toEqual([["1"], ["2"], ["3"]]);
  });

  it("is none where there is nothing to send", () => {
    expect(packEnvelopes([])).toEqual([]);
  });
});
