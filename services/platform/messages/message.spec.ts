import { describe, expect, it } from "vitest";
import { z } from "zod";
import { idOf } from "../../../contracts/ids/ids.ts";
import { event } from "../../../contracts/message.ts";
import { createMessage, parseMessage, partitionOf } from "./message.ts";

const Painted = event("orders", "painted", z.object({ colour: z.string(), coats: z.int().default(1) }));
const book = idOf("book", "019c0000-0000-7000-8000-000000000001");
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("a message", () => {
  it("has its subject and data as its contract parses them", () => {
    const message = createMessage(Painted, { book, subject: "door-1", sequence: 3, data: { colour: "red" } });
    expect(message).toMatchObject({
      type: "orders.painted.v1",
      book,
      subject: "door-1",
      sequence: 3,
      data: { colour: "red", coats: 1 },
    });
    expect(message.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("starts a correlation of its own when it has no cause", () => {
    const message = createMessage(Painted, { book, subject: "door-1", data: { colour: "red" } });
    expect(message.correlationid).toBe(message.id);
    expect(message).not.toHaveProperty("causationid");
  });

  it("names its cause and has the cause's correlation and trace", () => {
    const cause = { id: "message-1", correlationid: "req-1", traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const message = createMessage(Painted, { book, subject: "door-1", data: { colour: "red" }, cause });
    expect(message).toMatchObject({ correlationid: "req-1", causationid: "message-1" });
    expect(message.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    expect(message.traceparent).not.toContain("00f067aa0ba902b7");
  });

  it("that does not fit its contract can't be created", () => {
    const input = { book, subject: "door-1", data: { colour: 7 } } as never;
    expect(() => createMessage(Painted, input)).toThrow(/colour/);
  });

  it("is parsed with its contract, and the error shows no value", () => {
    const message = createMessage(Painted, { book, subject: "door-1", data: { colour: "red" } });
    expect(parseMessage(Painted, JSON.parse(JSON.stringify(message)))).toEqual(message);
    expect(() => parseMessage(Painted, { ...message, data: { colour: 31_337 } })).toThrow(/colour/);
    expect(() => parseMessage(Painted, { ...message, data: { colour: 31_337 } })).not.toThrow(/31_?337/);
    expect(() => parseMessage(Painted, { ...message, id: "1" })).toThrow(/id/);
  });

  it("may have members that are unknown to this version", () => {
    const message = createMessage(Painted, { book, subject: "door-1", data: { colour: "red" } });
    expect(
      parseMessage(Painted, { ...message, later: true, data: { colour: "red", sheen: 3 } }).data,
    ).toEqual({ colour: "red", coats: 1 });
  });
});

describe("a book's partition", () => {
  // FNV-1a of the uuid's text, computed elsewhere.
  it.each([
    ["019c0000-0000-7000-8000-000000000001", 1, "p00"],
    ["019c0000-0000-7000-8000-000000000001", 8, "p02"],
    ["019c0000-0000-7000-8000-000000000001", 64, "p34"],
    ["019c0000-0000-7000-8000-000000000002", 8, "p07"],
    ["019c0000-0000-7000-8000-000000000002", 64, "p15"],
  ])("of %s among %i is %s", (uuid, partitions, partition) => {
    expect(partitionOf(idOf("book", uuid), partitions)).toBe(partition);
  });
});
