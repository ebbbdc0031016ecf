import { describe, expect, it } from "vitest";
import { z } from "zod";
import { idOf } from "../../../contracts/ids/ids.ts";
import { event, type MessageType } from "../../../contracts/message.ts";
import type { DurableConsumer } from "../../../contracts/streams.ts";
import { decodeEnvelope, logBatch, type StreamEnvelope } from "./batch.ts";
import { createMessage } from "../messages/message.ts";
import { createLogger } from "../observability/logger.ts";

const Painted = event(
  "orders",
  "painted",
  z.object({
    colour: z.string(),
    finish: z.enum(["Matt", "Gloss"]).optional(),
    coat: z
      .discriminatedUnion("kind", [
        z.object({ kind: z.literal("Oil"), days: z.int() }),
        z.object({ kind: z.literal("Water") }),
      ])
      .optional(),
  }),
);
const types = new Map<string, MessageType>([[Painted.subject, Painted]]);
const book = idOf("book", "019c0000-0000-7000-8000-000000000001");
const aMessage = () => createMessage(Painted, { book, subject: "door-1", data: { colour: "red" } });

function message(body: string | Uint8Array, subject = "evt.orders.painted.v1.p00"): StreamEnvelope {
  const data = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const nothing = () => undefined;
  return { subject, seq: 1, info: { deliveryCount: 1 }, data, ack: nothing, nak: nothing, working: nothing };
}

describe("decoding an envelope", () => {
  it("returns its messages in order", () => {
    const messages = [aMessage(), aMessage(), aMessage()];
    const opened = decodeEnvelope(message(JSON.stringify({ messages })), types);
    expect(opened).toMatchObject({ messages, unreadable: [], failed: 0 });
  });

  it("accepts any partition", () => {
    const opened = decodeEnvelope(
      message(JSON.stringify({ messages: [aMessage()] }), "evt.orders.painted.v1.p63"),
      types,
    );
    expect(opened.messages).toHaveLength(1);
  });

  it("returns a message that fits no schema as unreadable, with the reason, beside the others", () => {
    const [good, alsoGood] = [aMessage(), aMessage()];
    const bad = { ...aMessage(), data: { colour: 7 } };
    const { messages, unreadable } = decodeEnvelope(
      message(JSON.stringify({ messages: [good, bad, alsoGood] })),
      types,
    );
    expect(messages).toEqual([good, alsoGood]);
    expect(unreadable).toMatchObject([
      { raw: bad, reason: expect.stringMatching(/^colour: .*expected string/) },
    ]);
  });

  it.each([
    ["is no JSON", "{", "the message is not JSON"],
    ["is empty", "", "the message is not JSON"],
    ["is no envelope", "[]", /^message: .*expected object/],
    ["has no message", '{"messages":[]}', /^messages: /],
    ["has more than a hundred", JSON.stringify({ messages: Array(101).fill(1) }), /^messages: /],
  ])("is unreadable as a whole when it %s", (_what, body, reason) => {
    const { messages, unreadable } = decodeEnvelope(message(body), types);
    expect(messages).toEqual([]);
    expect(unreadable).toEqual([{ raw: body, reason: expect.stringMatching(reason) }]);
  });

  it("never throws, whatever the bytes", () => {
    const { unreadable } = decodeEnvelope(message(new Uint8Array([0xff, 0xfe, 0x00, 0x7b])), types);
    expect(unreadable).toHaveLength(1);
  });
});

describe("a message of a newer version", () => {
  const decode = (raw: object, subject?: string) =>
    decodeEnvelope(message(JSON.stringify({ messages: [raw] }), subject), types);
  const withData = (data: object) => ({ ...aMessage(), data: { colour: "red", ...data } });

  it.each<[string, object]>([
    ["an enum value that this version does not know", withData({ finish: "Satin" })],
    ["a kind that this version does not know", withData({ coat: { kind: "Lime", layers: 2 } })],
    ["a type that this version does not know", { ...aMessage(), type: "orders.varnished.v1", data: {} }],
  ])("is unknown, not unreadable, with %s", (_what, raw) => {
    expect(decode(raw)).toMatchObject({ messages: [], unreadable: [], unknown: [{}] });
  });

  it("is unknown when this service does not consume its subject, whatever it contains", () => {
    expect(decode({ any: "thing" }, "evt.orders.sold.v1.p00")).toMatchObject({
      messages: [],
      unreadable: [],
      unknown: [{ reason: "no contract consumes evt.orders.sold.v1" }],
    });
  });

  it.each<[string, object, RegExp]>([
    ["an unknown value and a wrong shape", withData({ finish: "Satin", colour: 7 }), /colour: /],
    ["a number where the contract lists texts", withData({ finish: 7 }), /finish: /],
    ["a known kind of a wrong shape", withData({ coat: { kind: "Oil" } }), /coat\.days: /],
  ])("is unreadable with %s", (_what, raw, reason) => {
    expect(decode(raw)).toMatchObject({
      unknown: [],
      unreadable: [{ raw, reason: expect.stringMatching(reason) }],
    });
  });

  it("is unreadable when its type is consumed, but on another subject", () => {
    const Sold = event("orders", "sold", z.object({}));
    const both = new Map([...types, [Sold.subject, Sold as MessageType]]);
    const raw = { ...aMessage(), type: Sold.type };
    const { unknown, unreadable } = decodeEnvelope(message(JSON.stringify({ messages: [raw] })), both);
    expect({ unknown, unreadable }).toEqual({
      unknown: [],
      unreadable: [{ raw, reason: "TypeError: orders.sold.v1 on the subject of orders.painted.v1" }],
    });
  });
});

describe("the log of a batch", () => {
  /** The lines about two envelopes with five messages, of which one came again with a message that failed. */
  function linesAt(level: string): Record<string, unknown>[] {
    let text = "";
    const log = createLogger("orders", level, { write: (line: string) => void (text += line) });
    const envelopeOf = (count: number) =>
      decodeEnvelope(message(JSON.stringify({ messages: Array.from({ length: count }, aMessage) })), types);
    const again = { ...envelopeOf(2), failed: 1 };
    const ended = [envelopeOf(3), { ...again, envelope: { ...again.envelope, info: { deliveryCount: 2 } } }];
    const config = { stream: "EVT" } as DurableConsumer;
    logBatch({ log, config }, ended, { messages: 5, durationMs: 12.3 });
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it("is one line for all its messages", () => {
    const lines = linesAt("info");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      msg: "batch",
      stream: "EVT",
      messages: 5,
      envelopes: 2,
      redelivered: 1,
      failed: 1,
      durationMs: 12.3,
    });
  });

  it("has a line per message at level debug, with what it is about and its trace", () => {
    const lines = linesAt("debug").filter(({ msg }) => msg === "message");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({
      type: "orders.painted.v1",
      resource: "door-1",
      correlationId: expect.any(String),
      traceparent: expect.stringMatching(/^00-/),
      streamSequence: 1,
    });
  });
});
