import { describe, expect, it } from "vitest";
import { z } from "zod";
import { idOf } from "../../../contracts/ids/ids.ts";
import { event, type MessageType } from "../../../contracts/message.ts";
import { decodeEnvelope, type StreamEnvelope } from "./batch.ts";
import { createMessage } from "../messages/message.ts";

const Painted = event("orders", "painted", z.object({ colour: z.string() }));
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

  it("returns a message as unreadable when this service does not consume its subject", () => {
    const { unreadable } = decodeEnvelope(message("{}", "evt.orders.sold.v1.p00"), types);
    expect(unreadable).toEqual([
      { raw: "{}", reason: "TypeError: no contract consumes evt.orders.sold.v1.p00" },
    ]);
  });

  it("never throws, whatever the bytes", () => {
    const { unreadable } = decodeEnvelope(message(new Uint8Array([0xff, 0xfe, 0x00, 0x7b])), types);
    expect(unreadable).toHaveLength(1);
  });
});
