import { describe, expect, it } from "vitest";
import { bookIdOf, idOf } from "../../../../contracts/ids/ids.ts";
import { bankMovements } from "./bank-movements.ts";
import type { Instruction, RailEvent } from "./instruction.ts";
import { railReferenceOf, returnTraceOf } from "./rail-references.ts";

const orderId = idOf("po", "01999999-0000-7000-8000-000000000001");
const at = new Date("2026-07-01T12:00:00.000Z");

function instruction(direction: "Credit" | "Debit"): Instruction {
  return {
    orderId,
    book: bookIdOf(idOf("ten", "01999999-0000-7000-8000-000000000002"), "Test"),
    rail: "Ach",
    direction,
    amountCents: 2_500,
    railReference: { traceNumber: "791000010000007" },
    counterpartyName: "Jane Receiver",
  };
}
const publishedEvents = (...events: RailEvent[]) =>
  events.map((event, index) => ({ number: index + 1, event, occurredAt: at }));

describe("the bank's records", () => {
  it("books a settled credit as Out and a settled debit as In", () => {
    const [credit] = bankMovements(
      instruction("Credit"),
      [],
      publishedEvents({ kind: "Accepted" }, { kind: "Settled" }),
    );
    expect(credit).toMatchObject({
      kind: "Settlement",
      side: "Out",
      amountCents: 2_500,
      number: 2,
      reference: "791000010000007",
      occurredAt: at,
    });
    const [debit] = bankMovements(instruction("Debit"), [], publishedEvents({ kind: "Settled" }));
    expect(debit).toMatchObject({ kind: "Settlement", side: "In" });
  });

  it("books the return of a settled payment in the opposite direction", () => {
    const before = publishedEvents({ kind: "Accepted" }, { kind: "Settled" });
    const late = [{ number: 3, event: { kind: "Returned", code: "R10" } as const, occurredAt: at }];
    expect(bankMovements(instruction("Debit"), before, late)).toMatchObject([
      {
        kind: "Return",
        side: "Out",
        amountCents: 2_500,
        number: 3,
        reference: returnTraceOf(orderId, "R10"),
      },
    ]);
  });

  it("books a second return, whether or not the payment has settled", () => {
    const returned = publishedEvents({ kind: "Accepted" }, { kind: "Returned", code: "R02" });
    const again = [{ number: 3, event: { kind: "Returned", code: "R03" } as const, occurredAt: at }];
    expect(bankMovements(instruction("Credit"), returned, again)).toMatchObject([
      { kind: "Return", side: "In", reference: returnTraceOf(orderId, "R03") },
    ]);
    const both = [...returned, ...again];
    expect(bankMovements(instruction("Credit"), both, both)).toHaveLength(1);
  });

  it("books a return that the rail reports before its settlement: the money has moved", () => {
    const happened = publishedEvents(
      { kind: "Accepted" },
      { kind: "Settled" },
      { kind: "Returned", code: "R03" },
    );
    const [, settled, returned] = happened;
    expect(bankMovements(instruction("Credit"), happened, [returned!])).toMatchObject([
      { kind: "Return", side: "In", number: 3 },
    ]);
    expect(bankMovements(instruction("Credit"), happened, [settled!])).toMatchObject([
      { kind: "Settlement", side: "Out", number: 2 },
    ]);
  });

  it("books a return that comes again under a trace number of its own, and no notice of change", () => {
    const happened = publishedEvents(
      { kind: "Settled" },
      { kind: "Returned", code: "R03" },
      { kind: "Returned", code: "R03", repetition: 1 },
      { kind: "NoticeOfChange", code: "C04", correctedData: { name: "Jane Receiver" } },
    );
    const movements = bankMovements(instruction("Credit"), happened, happened);
    expect(movements.map(({ kind, side }) => `${kind} ${side}`)).toEqual([
      "Settlement Out",
      "Return In",
      "Return In",
    ]);
    expect(new Set(movements.map(({ reference }) => reference)).size).toBe(3);
  });

  it("books nothing for a reject or a return before settlement", () => {
    expect(
      bankMovements(
        instruction("Debit"),
        [],
        publishedEvents({ kind: "Accepted" }, { kind: "Returned", code: "R01" }),
      ),
    ).toEqual([]);
    expect(
      bankMovements(
        instruction("Credit"),
        [],
        publishedEvents({ kind: "Failed", code: "AC03", message: "" }),
      ),
    ).toEqual([]);
  });
});

describe("rail references", () => {
  const handOff = new Date("2026-07-01T15:00:00.000Z");

  it("are deterministic, and differ by order and code", () => {
    const other = idOf("po", "01999999-0000-7000-8000-000000000003");
    expect(railReferenceOf("Ach", orderId, handOff)).toEqual(railReferenceOf("Ach", orderId, handOff));
    expect(railReferenceOf("Ach", other, handOff)).not.toEqual(railReferenceOf("Ach", orderId, handOff));
    expect(returnTraceOf(orderId, "R01")).not.toBe(returnTraceOf(orderId, "R02"));
  });

  it("have the format of each rail", () => {
    expect(railReferenceOf("Ach", orderId, handOff).traceNumber).toMatch(/^7910\d{11}$/);
    expect(railReferenceOf("SameDayAch", orderId, handOff).traceNumber).toMatch(/^7910\d{11}$/);
    expect(returnTraceOf(orderId, "R01")).toMatch(/^7920\d{11}$/);
    expect(railReferenceOf("Wire", orderId, handOff).imad).toMatch(/^20260701QTSIM[0-9A-F]{3}\d{6}$/);
    expect(railReferenceOf("Rtp", orderId, handOff).endToEndId).toMatch(/^[0-9A-F]{32}$/);
    expect(railReferenceOf("Usdc", orderId, handOff).txHash).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it("of a wire begin with its Fedwire business day, which starts the evening before", () => {
    // Sunday at 21:00 in New York, before Washington's Birthday: the next business day is Tuesday.
    const dayOf = (at: string) => railReferenceOf("Wire", orderId, new Date(at)).imad?.slice(0, 8);
    expect(dayOf("2027-02-15T02:00:00.000Z")).toBe("20270216");
    expect(dayOf("2026-07-01T00:59:59.999Z")).toBe("20260630");
    expect(dayOf("2026-07-01T01:00:00.000Z")).toBe("20260701");
  });
});
