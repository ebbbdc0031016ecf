import { describe, expect, it } from "vitest";
import { bookIdOf, idOf } from "../../../../contracts/ids/ids.ts";
import { movementsOf } from "./bank-book.ts";
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
  };
}
const said = (...events: RailEvent[]) =>
  events.map((event, index) => ({ number: index + 1, event, occurredAt: at }));

describe("the bank's own book", () => {
  it("pays out a credit and takes in a debit when they settle", () => {
    const [credit] = movementsOf(instruction("Credit"), [], said({ kind: "Accepted" }, { kind: "Settled" }));
    expect(credit).toMatchObject({
      kind: "Settlement",
      side: "Out",
      amountCents: 2_500,
      number: 2,
      reference: "791000010000007",
      occurredAt: at,
    });
    const [debit] = movementsOf(instruction("Debit"), [], said({ kind: "Settled" }));
    expect(debit).toMatchObject({ kind: "Settlement", side: "In" });
  });

  it("turns the money around when a settled payment is returned", () => {
    const before = said({ kind: "Accepted" }, { kind: "Settled" });
    const late = [{ number: 3, event: { kind: "Returned", code: "R10" } as const, occurredAt: at }];
    expect(movementsOf(instruction("Debit"), before, late)).toMatchObject([
      {
        kind: "Return",
        side: "Out",
        amountCents: 2_500,
        number: 3,
        reference: returnTraceOf(orderId, "R10"),
      },
    ]);
  });

  it("takes in a second return, whether or not the payment had settled", () => {
    const returned = said({ kind: "Accepted" }, { kind: "Returned", code: "R02" });
    const again = [{ number: 3, event: { kind: "Returned", code: "R03" } as const, occurredAt: at }];
    expect(movementsOf(instruction("Credit"), returned, again)).toMatchObject([
      { kind: "Return", side: "In", reference: returnTraceOf(orderId, "R03") },
    ]);
    expect(movementsOf(instruction("Credit"), [], [...returned, ...again])).toHaveLength(1);
  });

  it("moves nothing for a return before settlement or a reject", () => {
    expect(
      movementsOf(instruction("Debit"), [], said({ kind: "Accepted" }, { kind: "Returned", code: "R01" })),
    ).toEqual([]);
    expect(
      movementsOf(instruction("Credit"), [], said({ kind: "Failed", code: "AC03", message: "" })),
    ).toEqual([]);
  });
});

describe("rail references", () => {
  it("are the same whenever they are asked for, and differ by order and code", () => {
    const other = idOf("po", "01999999-0000-7000-8000-000000000003");
    expect(railReferenceOf("Ach", orderId, "2026-07-01")).toEqual(
      railReferenceOf("Ach", orderId, "2026-07-01"),
    );
    expect(railReferenceOf("Ach", other, "2026-07-01")).not.toEqual(
      railReferenceOf("Ach", orderId, "2026-07-01"),
    );
    expect(returnTraceOf(orderId, "R01")).not.toBe(returnTraceOf(orderId, "R02"));
  });

  it("look as each rail writes them", () => {
    expect(railReferenceOf("Ach", orderId, "2026-07-01").traceNumber).toMatch(/^7910\d{11}$/);
    expect(railReferenceOf("SameDayAch", orderId, "2026-07-01").traceNumber).toMatch(/^7910\d{11}$/);
    expect(returnTraceOf(orderId, "R01")).toMatch(/^7920\d{11}$/);
    expect(railReferenceOf("Wire", orderId, "2026-07-01").imad).toMatch(/^20260701QTSIM[0-9A-F]{3}\d{6}$/);
    expect(railReferenceOf("Rtp", orderId, "2026-07-01").endToEndId).toMatch(/^[0-9A-F]{32}$/);
    expect(railReferenceOf("Usdc", orderId, "2026-07-01").txHash).toMatch(/^0x[0-9a-f]{64}$/);
  });
});
