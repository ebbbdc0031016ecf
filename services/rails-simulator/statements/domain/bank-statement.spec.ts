import { describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import {
  type ComposedStatement,
  composeStatement,
  type OpenStatementError,
  type UnreportedMovement,
} from "./bank-statement.ts";

const endsAt = new Date("2026-03-03T05:00:00.000Z");
const [rent, fuel] = [newId("po"), newId("po")];
const movement = (source: string, orderId: string, cents: number, minute: number): UnreportedMovement => ({
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

const error = (
  kind: OpenStatementError["kind"],
  more: Partial<OpenStatementError> = {},
): OpenStatementError => ({
  id: newId("bsf"),
  kind,
  orderId: null,
  reference: null,
  amountCents: null,
  side: null,
  printedOn: null,
  correctionRequested: false,
  source: null,
  withheld: null,
  printed: null,
  ...more,
});

const printed = ({ lines }: ComposedStatement) =>
  lines.map(({ line, source }) => `${line.kind} ${line.side} ${line.amountCents} ${source ?? "-"}`);

/** The error after a statement printed it and its correction was requested. */
function requestedCorrection(
  open: OpenStatementError,
  { errorChanges }: ComposedStatement,
): OpenStatementError {
  const [change] = errorChanges;
  if (change?.to !== "Printed") throw new Error("the error was not printed");
  return { ...open, ...change, printedOn: 1, correctionRequested: true };
}

describe("a statement without errors", () => {
  it("prints every movement in order of time, and adds them to the balance", () => {
    const composed = composeStatement(1_000, [paidFuel, paidRent], [], endsAt);
    expect(printed(composed)).toEqual(["Settlement Out 300 rent/2", "Settlement Out 50 fuel/2"]);
    expect(composed).toMatchObject({ closingCents: 650, errorChanges: [], publishWrongHash: false });
  });

  it("closes with its opening balance if nothing moved", () => {
    expect(composeStatement(1_000, [], [], endsAt)).toMatchObject({ lines: [], closingCents: 1_000 });
  });
});

describe("an omitted line", () => {
  it("is missing from the balance too, and is printed when it is corrected", () => {
    const missing = error("LineMissing", { orderId: rent });
    const first = composeStatement(1_000, [paidRent, paidFuel], [missing], endsAt);
    expect(printed(first)).toEqual(["Settlement Out 50 fuel/2"]);
    expect(first.closingCents).toBe(950);
    expect(first.errorChanges).toMatchObject([{ to: "Printed", source: "rent/2", withheld: paidRent.line }]);

    const second = composeStatement(950, [], [requestedCorrection(missing, first)], endsAt);
    expect(printed(second)).toEqual(["Settlement Out 300 rent/2"]);
    expect(second).toMatchObject({ closingCents: 650, errorChanges: [{ to: "Corrected" }] });
  });

  it("is the one with the given reference, or the newest if none is given", () => {
    const byReference = error("LineMissing", { reference: "7910-rent/2" });
    expect(printed(composeStatement(0, [paidRent, paidFuel], [byReference], endsAt))).toEqual([
      "Settlement Out 50 fuel/2",
    ]);
    expect(printed(composeStatement(0, [paidRent, paidFuel], [error("LineMissing")], endsAt))).toEqual([
      "Settlement Out 300 rent/2",
    ]);
  });

  it("waits for a statement that contains it", () => {
    const composed = composeStatement(0, [paidFuel], [error("LineMissing", { orderId: rent })], endsAt);
    expect(composed.errorChanges).toEqual([]);
    expect(printed(composed)).toEqual(["Settlement Out 50 fuel/2"]);
  });
});

it.each([{ orderId: rent }, {}])(
  "a corrected line is not changed by an error of %j on the same statement",
  (which) => {
    const missing = error("LineMissing", { orderId: rent });
    const first = composeStatement(0, [paidRent], [missing], endsAt);
    const errors = [requestedCorrection(missing, first), error("LineMissing", which)];
    const second = composeStatement(0, [], errors, endsAt);
    expect(printed(second)).toEqual(["Settlement Out 300 rent/2"]);
    expect(second.errorChanges).toEqual([{ id: missing.id, to: "Corrected" }]);
  },
);

describe("a changed amount", () => {
  it.each(["AmountChanged", "LineMissing"] as const)(
    "is not changed twice: a second %s applies to another line",
    (kind) => {
      const first = error("AmountChanged", { amountCents: 301 });
      const second = error(kind, { amountCents: 302 });
      const both = composeStatement(0, [paidFuel, paidRent], [first, second], endsAt);
      expect(both.errorChanges).toMatchObject([{ source: "rent/2" }, { source: "fuel/2" }]);
      const alone = composeStatement(0, [paidRent], [first, second], endsAt);
      expect(alone.errorChanges).toMatchObject([{ id: first.id, source: "rent/2" }]);
    },
  );

  it("is never the true one: the error applies to another line, or waits", () => {
    const changed = error("AmountChanged", { amountCents: 50 });
    const both = composeStatement(0, [paidRent, paidFuel], [changed], endsAt);
    expect(printed(both)).toEqual(["Settlement Out 50 rent/2", "Settlement Out 50 fuel/2"]);
    const alone = composeStatement(0, [paidFuel], [changed], endsAt);
    expect(alone.errorChanges).toEqual([]);
    expect(printed(alone)).toEqual(["Settlement Out 50 fuel/2"]);
  });

  it("is reversed and printed correctly when it is corrected", () => {
    const changed = error("AmountChanged", { orderId: rent, amountCents: 301 });
    const first = composeStatement(1_000, [paidRent], [changed], endsAt);
    expect(printed(first)).toEqual(["Settlement Out 301 rent/2"]);
    expect(first.closingCents).toBe(699);

    const second = composeStatement(699, [], [requestedCorrection(changed, first)], endsAt);
    expect(printed(second).toSorted()).toEqual(["Adjustment In 301 -", "Settlement Out 300 -"]);
    expect(second.closingCents).toBe(700);
  });
});

describe("an added line", () => {
  it("is Out with a new reference, and is reversed when it is corrected", () => {
    const added = error("LineAdded", { amountCents: 42 });
    const first = composeStatement(1_000, [], [added], endsAt);
    expect(printed(first)).toEqual(["Adjustment Out 42 -"]);
    expect(first.lines[0]?.line).toMatchObject({
      reference: expect.stringMatching(/^ADJ[0-9A-Z]{12}$/) as unknown,
      customerReference: null,
      occurredAt: "2026-03-03T04:59:59.999Z",
    });
    const second = composeStatement(958, [], [requestedCorrection(added, first)], endsAt);
    expect(printed(second)).toEqual(["Adjustment In 42 -"]);
    expect(second.closingCents).toBe(1_000);
  });

  it("has the given side, order and reference", () => {
    const added = error("LineAdded", { amountCents: 42, side: "In", orderId: rent, reference: "X1" });
    expect(composeStatement(0, [], [added], endsAt).lines[0]?.line).toMatchObject({
      side: "In",
      customerReference: rent,
      reference: "X1",
    });
  });
});

it("a wrong hash changes no line", () => {
  const composed = composeStatement(0, [paidRent], [error("WrongHash")], endsAt);
  expect(printed(composed)).toEqual(["Settlement Out 300 rent/2"]);
  expect(composed).toMatchObject({ publishWrongHash: true, errorChanges: [{ to: "Printed", source: null }] });
});
