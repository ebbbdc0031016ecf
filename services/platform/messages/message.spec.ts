import { describe, expect, it } from "vitest";
import { z } from "zod";
import { idOf } from "../../../contracts/ids/ids.ts";
import { event } from "../../../contracts/message.ts";
import { createFact, parseFact, partitionOf } from "./message.ts";

const Painted = event("orders", "painted", z.object({ colour: z.string(), coats: z.int().default(1) }));
const book = idOf("book", "019c0000-0000-7000-8000-000000000001");
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("a fact", () => {
  it("carries what it is about, as its contract reads it", () => {
    const fact = createFact(Painted, { book, subject: "door-1", sequence: 3, data: { colour: "red" } });
    expect(fact).toMatchObject({
      type: "orders.painted.v1",
      book,
      subject: "door-1",
      sequence: 3,
      data: { colour: "red", coats: 1 },
    });
    expect(fact.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("begins a correlation of its own where nothing caused it", () => {
    const fact = createFact(Painted, { book, subject: "door-1", data: { colour: "red" } });
    expect(fact.correlationid).toBe(fact.id);
    expect(fact).not.toHaveProperty("causationid");
  });

  it("names its cause, and stays in its correlation and its trace", () => {
    const cause = { id: "fact-1", correlationid: "req-1", traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const fact = createFact(Painted, { book, subject: "door-1", data: { colour: "red" }, cause });
    expect(fact).toMatchObject({ correlationid: "req-1", causationid: "fact-1" });
    expect(fact.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    expect(fact.traceparent).not.toContain("00f067aa0ba902b7");
  });

  it("that does not fit its own contract never leaves", () => {
    const input = { book, subject: "door-1", data: { colour: 7 } } as never;
    expect(() => createFact(Painted, input)).toThrow(/colour/);
  });

  it("is read with its contract, and a fault shows no value", () => {
    const fact = createFact(Painted, { book, subject: "door-1", data: { colour: "red" } });
    expect(parseFact(Painted, JSON.parse(JSON.stringify(fact)))).toEqual(fact);
    expect(() => parseFact(Painted, { ...fact, data: { colour: 31_337 } })).toThrow(/colour/);
    expect(() => parseFact(Painted, { ...fact, data: { colour: 31_337 } })).not.toThrow(/31_?337/);
    expect(() => parseFact(Painted, { ...fact, id: "1" })).toThrow(/id/);
  });

  it("may have members that this version does not know", () => {
    const fact = createFact(Painted, { book, subject: "door-1", data: { colour: "red" } });
    expect(parseFact(Painted, { ...fact, later: true, data: { colour: "red", sheen: 3 } }).data).toEqual({
      colour: "red",
      coats: 1,
    });
  });
});

describe("a book's partition", () => {
  // FNV-1a of the uuid's text, worked out apart.
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
