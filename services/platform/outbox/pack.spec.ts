import { describe, expect, it } from "vitest";
import { pack } from "./pack.ts";

const part = (id: string, subject = "evt.a", facts = `{"id":"${id}"}`, count = 1) => ({
  id,
  subject,
  facts,
  count,
});
const bySubject = ({ subject }: { subject: string }) => subject;
const many = (count: number, facts: string) =>
  Array.from({ length: count }, (_, i) => part(String(i), "evt.a", facts));
const envelope = (facts: string) => `{"facts":[${facts}]}`;

describe("a pack", () => {
  it("holds what has one key, in its order", () => {
    const packs = pack([part("1"), part("2", "evt.b"), part("3")], bySubject);
    expect(packs.map(({ first, facts, count }) => [first.subject, facts, count])).toEqual([
      ["evt.a", '{"id":"1"},{"id":"3"}', 2],
      ["evt.b", '{"id":"2"}', 1],
    ]);
    expect(packs.map(({ parts }) => parts.map(({ id }) => id))).toEqual([["1", "3"], ["2"]]);
  });

  it("holds at most 100 facts", () => {
    expect(pack(many(250, "{}"), bySubject).map(({ count }) => count)).toEqual([100, 100, 50]);
  });

  it("counts the facts of a part that holds several, and never takes one apart", () => {
    const packs = pack([part("1", "evt.a", "{},{}", 60), part("2", "evt.a", "{}", 60)], bySubject);
    expect(packs.map(({ count }) => count)).toEqual([60, 60]);
  });

  // In UTF-8, as it travels: 10 facts have 21 bytes around them, and 262,144 are allowed.
  it.each([
    [26_212, [10, 1]],
    [26_213, [9, 2]],
  ])("makes envelopes of at most 256 KiB: 11 facts of %i bytes are packs of %j", (bytes, expected) => {
    const fact = JSON.stringify("é".repeat((bytes - 2) >> 1) + (bytes % 2 === 1 ? "e" : ""));
    expect(Buffer.byteLength(fact)).toBe(bytes);
    const packs = pack(many(11, fact), bySubject);
    expect(packs.map(({ count }) => count)).toEqual(expected);
    for (const { facts } of packs) expect(Buffer.byteLength(envelope(facts))).toBeLessThanOrEqual(262_144);
  });

  it("carries a single fact that is larger alone: it must go out some way", () => {
    const packs = pack([part("1"), part("2", "evt.a", `"${"x".repeat(300_000)}"`), part("3")], bySubject);
    expect(packs.map(({ parts }) => parts.map(({ id }) => id))).toEqual([["1"], ["2"], ["3"]]);
  });

  it("is none where there is nothing to send", () => {
    expect(pack([], bySubject)).toEqual([]);
  });
});
