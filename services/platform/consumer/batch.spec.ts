import { describe, expect, it } from "vitest";
import { z } from "zod";
import { idOf } from "../../../contracts/ids/ids.ts";
import { event, type FactType } from "../../../contracts/message.ts";
import { open, type StreamMessage } from "./batch.ts";
import { createFact } from "../messages/message.ts";

const Painted = event("orders", "painted", z.object({ colour: z.string() }));
const types = new Map<string, FactType>([[Painted.subject, Painted]]);
const book = idOf("book", "019c0000-0000-7000-8000-000000000001");
const aFact = () => createFact(Painted, { book, subject: "door-1", data: { colour: "red" } });

function message(body: string | Uint8Array, subject = "evt.orders.painted.v1.p00"): StreamMessage {
  const data = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const nothing = () => undefined;
  return { subject, seq: 1, info: { deliveryCount: 1 }, data, ack: nothing, nak: nothing, working: nothing };
}

describe("a message that is opened", () => {
  it("gives its facts in their order", () => {
    const facts = [aFact(), aFact(), aFact()];
    const opened = open(message(JSON.stringify({ facts })), types);
    expect(opened).toMatchObject({ facts, unreadable: [], failed: 0 });
  });

  it("is read from any partition", () => {
    const opened = open(message(JSON.stringify({ facts: [aFact()] }), "evt.orders.painted.v1.p63"), types);
    expect(opened.facts).toHaveLength(1);
  });

  it("sets the fact aside that fits no schema, with its reason, and gives the others", () => {
    const [good, alsoGood] = [aFact(), aFact()];
    const bad = { ...aFact(), data: { colour: 7 } };
    const { facts, unreadable } = open(message(JSON.stringify({ facts: [good, bad, alsoGood] })), types);
    expect(facts).toEqual([good, alsoGood]);
    expect(unreadable).toMatchObject([
      { raw: bad, reason: expect.stringMatching(/^colour: .*expected string/) },
    ]);
  });

  it.each([
    ["is no JSON", "{", "the message is not JSON"],
    ["is empty", "", "the message is not JSON"],
    ["is no envelope", "[]", /^message: .*expected object/],
    ["has no fact", '{"facts":[]}', /^facts: /],
    ["has more than a hundred", JSON.stringify({ facts: Array(101).fill(1) }), /^facts: /],
  ])("is unreadable as a whole when it %s", (_what, body, reason) => {
    const { facts, unreadable } = open(message(body), types);
    expect(facts).toEqual([]);
    expect(unreadable).toEqual([{ raw: body, reason: expect.stringMatching(reason) }]);
  });

  it("is unreadable when nobody here consumes its subject", () => {
    const { unreadable } = open(message("{}", "evt.orders.sold.v1.p00"), types);
    expect(unreadable).toEqual([
      { raw: "{}", reason: "TypeError: no contract consumes evt.orders.sold.v1.p00" },
    ]);
  });

  it("never throws, whatever the bytes", () => {
    const { unreadable } = open(message(new Uint8Array([0xff, 0xfe, 0x00, 0x7b])), types);
    expect(unreadable).toHaveLength(1);
  });
});
