import { describe, expect, it } from "vitest";
import { pack } from "./pack.ts";

const part = (id: string, subject = "evt.a", messages = `{"id":"${id}"}`, count = 1) => ({
  id,
  subject,
  messages,
  count,
});
const bySubject = ({ subject }: { subject: string }) => subject;
const many = (count: number, messages: string) =>
  Array.from({ length: count }, (_, i) => part(String(i), "evt.a", messages));
const envelope = (messages: string) => `{"messages":[${messages}]}`;

describe("a pack", () => {
  it("holds parts of one key, in order", () => {
    const packs = pack([part("1"), part("2", "evt.b"), part("3")], bySubject);
    expect(packs.map(({ first, messages, count }) => [first.subject, messages, count])).toEqual([
      ["evt.a", '{"id":"1"},{"id":"3"}', 2],
      ["evt.b", '{"id":"2"}', 1],
    ]);
    expect(packs.map(({ parts }) => parts.map(({ id }) => id))).toEqual([["1", "3"], ["2"]]);
  });

  it("holds at most 100 messages", () => {
    expect(pack(many(250, "{}"), bySubject).map(({ count }) => count)).toEqual([100, 100, 50]);
  });

  it("counts every message of a part, and never splits a part", () => {
    const packs = pack([part("1", "evt.a", "{},{}", 60), part("2", "evt.a", "{}", 60)], bySubject);
    expect(packs.map(({ count }) => count)).toEqual([60, 60]);
  });

  // In UTF-8, as it travels: 10 messages have 21 bytes around them, and 262,144 are allowed.
  it.each([
    [26_212, [10, 1]],
    [26_213, [9, 2]],
  ])("makes envelopes of at most 256 KiB: 11 messages of %i bytes are packs of %j", (bytes, expected) => {
    const message = JSON.stringify("é".repeat((bytes - 2) >> 1) + (bytes % 2 === 1 ? "e" : ""));
    expect(Buffer.byteLength(message)).toBe(bytes);
    const packs = pack(many(11, message), bySubject);
    expect(packs.map(({ count }) => count)).toEqual(expected);
    for (const { messages } of packs)
      expect(Buffer.byteLength(envelope(messages))).toBeLessThanOrEqual(262_144);
  });

  it("may hold a single message above the limit, because it must be sent too", () => {
    const packs = pack([part("1"), part("2", "evt.a", `"${"x".repeat(300_000)}"`), part("3")], bySubject);
    expect(packs.map(({ parts }) => parts.map(({ id }) => id))).toEqual([["1"], ["2"], ["3"]]);
  });

  it("does not exist when there is nothing to send", () => {
    expect(pack([], bySubject)).toEqual([]);
  });
});
