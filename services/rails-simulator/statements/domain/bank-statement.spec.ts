import { describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import {
  type DrawnStatement,
  drawStatement,
  type OpenFault,
  type UnstatedMovement,
} from "./bank-statement.ts";

const endsAt = new Date("2026-03-03T05:00:00.000Z");
const [rent, fuel] = [newId("po"), newId("po")];
const movement = (source: string, orderId: string, cents: number, minute: number): UnstatedMovement => ({
  source,
  line: {
    account: "SettlementCash",
    side: cents < 0 ? "Out" : "In",
    amountCents: Math.abs(cents),
    reference: `7910-${source}`,
    customerReference: orderId,
    kind: "Settlement",
    occurredAt: `2026-03-02T15:${String(minute).padStart(2, "0")}:00.000Z`,
  },
});
const paidRent = movement("rent/2", rent, -300, 1);
const paidFuel = movement("fuel/2", fuel, -50, 2);

const fault = (kind: OpenFault["kind"], more: Partial<OpenFault> = {}): OpenFault => ({
  id: newId("bsf"),
  kind,
  orderId: null,
  reference: null,
  amountCents: null,
  side: null,
  printedOn: null,
  correct: false,
  source: null,
  withheld: null,
  printed: null,
  ...more,
});

const printed = ({ lines }: DrawnStatement) =>
  lines.map(({ line, source }) => `${line.kind} ${line.side} ${line.amountCents} ${source ?? "-"}`);

/** The fault as it rests after a statement made it, told to be corrected. */
function toCorrect(made: OpenFault, { changes }: DrawnStatement): OpenFault {
  const [change] = changes;
  if (change?.to !== "Printed") throw new Error("it was not printed");
  return { ...made, ...change, printedOn: 1, correct: true };
}

describe("a statement without a fault", () => {
  it("prints every movement in order of time, and closes with what they come to", () => {
    const drawn = drawStatement(1_000, [paidFuel, paidRent], [], endsAt);
    expect(printed(drawn)).toEqual(["Settlement Out 300 rent/2", "Settlement Out 50 fuel/2"]);
    expect(drawn).toMatchObject({ closingCents: 650, changes: [], wrongHash: false });
  });

  it("closes as it opened when nothing moved", () => {
    expect(drawStatement(1_000, [], [], endsAt)).toMatchObject({ lines: [], closingCents: 1_000 });
  });
});

describe("a line that is left out", () => {
  it("is missing in the balance too, and printed when it is put right", () => {
    const missing = fault("LineMissing", { orderId: rent });
    const first = drawStatement(1_000, [paidRent, paidFuel], [missing], endsAt);
    expect(printed(first)).toEqual(["Settlement Out 50 fuel/2"]);
    expect(first.closingCents).toBe(950);
    expect(first.changes).toMatchObject([{ to: "Printed", source: "rent/2", withheld: paidRent.line }]);

    const second = drawStatement(950, [], [toCorrect(missing, first)], endsAt);
    expect(printed(second)).toEqual(["Settlement Out 300 rent/2"]);
    expect(second).toMatchObject({ closingCents: 650, changes: [{ to: "Corrected" }] });
  });

  it("is the one of that reference, or the newest where none is named", () => {
    const byReference = fault("LineMissing", { reference: "7910-rent/2" });
    expect(printed(drawStatement(0, [paidRent, paidFuel], [byReference], endsAt))).toEqual([
      "Settlement Out 50 fuel/2",
    ]);
    expect(printed(drawStatement(0, [paidRent, paidFuel], [fault("LineMissing")], endsAt))).toEqual([
      "Settlement Out 300 rent/2",
    ]);
  });

  it("waits for a statement that has it", () => {
    const drawn = drawStatement(0, [paidFuel], [fault("LineMissing", { orderId: rent })], endsAt);
    expect(drawn.changes).toEqual([]);
    expect(printed(drawn)).toEqual(["Settlement Out 50 fuel/2"]);
  });
});

it.each([{ orderId: rent }, {}])(
  "a line that is put right is not spoiled again by a fault of %j",
  (which) => {
    const first = fault("LineMissing", { orderId: rent });
    const made = drawStatement(0, [paidRent], [first], endsAt);
    const put = drawStatement(0, [], [toCorrect(first, made), fault("LineMissing", which)], endsAt);
    expect(printed(put)).toEqual(["Settlement Out 300 rent/2"]);
    expect(put.changes).toEqual([{ id: first.id, to: "Corrected" }]);
  },
);

describe("an amount that is changed", () => {
  it.each(["AmountChanged", "LineMissing"] as const)(
    "is not spoiled twice: a %s takes another line",
    (kind) => {
      const first = fault("AmountChanged", { amountCents: 301 });
      const second = fault(kind, { amountCents: 302 });
      const both = drawStatement(0, [paidFuel, paidRent], [first, second], endsAt);
      expect(both.changes).toMatchObject([{ source: "rent/2" }, { source: "fuel/2" }]);
      const alone = drawStatement(0, [paidRent], [first, second], endsAt);
      expect(alone.changes).toMatchObject([{ id: first.id, source: "rent/2" }]);
    },
  );

  it("is taken back and printed right when it is corrected", () => {
    const changed = fault("AmountChanged", { orderId: rent, amountCents: 301 });
    const first = drawStatement(1_000, [paidRent], [changed], endsAt);
    expect(printed(first)).toEqual(["Settlement Out 301 rent/2"]);
    expect(first.closingCents).toBe(699);

    const second = drawStatement(699, [], [toCorrect(changed, first)], endsAt);
    expect(printed(second).toSorted()).toEqual(["Adjustment In 301 -", "Settlement Out 300 -"]);
    expect(second.closingCents).toBe(700);
  });
});

describe("a line that is added", () => {
  it("goes out, with a reference of its own, and is taken back when it is corrected", () => {
    const added = fault("LineAdded", { amountCents: 42 });
    const first = drawStatement(1_000, [], [added], endsAt);
    expect(printed(first)).toEqual(["Adjustment Out 42 -"]);
    expect(first.lines[0]?.line).toMatchObject({
      reference: expect.stringMatching(/^ADJ[0-9A-Z]{12}$/) as unknown,
      customerReference: null,
      occurredAt: "2026-03-03T04:59:59.999Z",
    });
    const second = drawStatement(958, [], [toCorrect(added, first)], endsAt);
    expect(printed(second)).toEqual(["Adjustment In 42 -"]);
    expect(second.closingCents).toBe(1_000);
  });

  it("comes in, for an order, where that is asked", () => {
    const added = fault("LineAdded", { amountCents: 42, side: "In", orderId: rent, reference: "X1" });
    expect(drawStatement(0, [], [added], endsAt).lines[0]?.line).toMatchObject({
      side: "In",
      customerReference: rent,
      reference: "X1",
    });
  });
});

it("a wrong hash changes no line", () => {
  const drawn = drawStatement(0, [paidRent], [fault("WrongHash")], endsAt);
  expect(printed(drawn)).toEqual(["Settlement Out 300 rent/2"]);
  expect(drawn).toMatchObject({ wrongHash: true, changes: [{ to: "Printed", source: null }] });
});
