import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newId, type PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import {
  balanceOf,
  classifyOpenItems,
  type ComparisonTimes,
  matchLines,
  type Movement,
  reopenWhileHoldOpen,
} from "./matching.ts";

const endsAt = new Date("2026-03-03T05:00:00.000Z");
const readAt = new Date("2026-03-03T11:00:00.000Z");
const times = { endsAt, readAt, readAtReal: readAt, appendedFrom: endsAt };
const nobody = { settlements: new Set<PaymentOrderId>(), returns: new Set<PaymentOrderId>() };
const [one, two] = [newId("po"), newId("po")];

let made = 0;
function movement(source: Movement["source"], more: Partial<Movement> = {}): Movement {
  const orderId = more.orderId ?? one;
  made += 1;
  return {
    source,
    number: made,
    line: 1,
    account: "SettlementCash",
    side: "Out",
    amountCents: 500n,
    matchKey: orderId,
    reference: null,
    orderId,
    transactionId: null,
    kind: source === "BankLine" ? "Settlement" : "Settle",
    occurredAt: new Date("2026-03-02T15:00:00.000Z"),
    recordedAt: null,
    firstSeen: "2026-03-02",
    ...more,
  };
}
const bank = (more?: Partial<Movement>) => movement("BankLine", more);
const entry = (more?: Partial<Movement>) => movement("LedgerEntry", more);

/** The open items, as `BankLine 500 NoLedgerEntry`; those in transit with a `~`. */
function leftOf(
  movements: readonly Movement[],
  awaited: Partial<typeof nobody> = {},
  at: ComparisonTimes = times,
): string[] {
  const all = { ...nobody, ...awaited };
  const items = classifyOpenItems(reopenWhileHoldOpen(matchLines(movements), all), all, at);
  return items.map((item) => `${item.inTransit ? "~" : ""}${item.source} ${item.amountCents} ${item.reason}`);
}

describe("a bank line and a ledger entry of one order", () => {
  it("match by order, account, side and amount", () => {
    expect(matchLines([bank(), entry()])).toMatchObject({ matchedCount: 1, unmatched: [] });
  });

  it.each([
    ["another order", { orderId: two }, "NoLedgerEntry", "NoBankLine"],
    ["another account", { account: "StablecoinWallet" }, "NoLedgerEntry", "NoBankLine"],
    ["another side", { side: "In" }, "AmountDiffers", "AmountDiffers"],
    ["another amount", { amountCents: 501n }, "AmountDiffers", "AmountDiffers"],
  ] as const)("don't match with %s", (_what, other, ofBank, ofLedger) => {
    expect(leftOf([bank(), entry({ ...other })]).toSorted()).toEqual(
      [
        `BankLine 500 ${ofBank}`,
        `LedgerEntry ${String(entry({ ...other }).amountCents)} ${ofLedger}`,
      ].toSorted(),
    );
  });

  it("match one to one: of a payment that the bank made twice, one line remains", () => {
    const twice = [bank(), bank(), entry()];
    expect(matchLines(twice).matchedCount).toBe(1);
    expect(leftOf(twice)).toEqual(["BankLine 500 NoLedgerEntry"]);
  });

  it("match the oldest of equal movements", () => {
    const [older, newer] = [entry(), entry()];
    expect(matchLines([older, newer, bank()]).unmatched).toEqual([newer]);
  });

  it("are read a few times each, however many an order has", () => {
    let looks = 0;
    const watched = (made: Movement) => ({
      ...made,
      get side() {
        looks += 1;
        return made.side;
      },
    });
    const amounts = Array.from({ length: 500 }, (_, n) => ({ amountCents: BigInt(n + 1) }));
    const lines = amounts.map((amount) => watched(bank(amount)));
    const entries = amounts.toReversed().map((amount) => watched(entry(amount)));
    expect(matchLines([...lines, ...entries])).toMatchObject({ matchedCount: 500, unmatched: [] });
    expect(looks).toBeLessThanOrEqual(4 * 500);
  });

  it("tell a settlement from its return", () => {
    const movements = [bank(), bank({ side: "In", kind: "Return" }), entry(), entry({ side: "In" })];
    expect(matchLines(movements)).toMatchObject({ matchedCount: 2, unmatched: [] });
  });
});

describe("bank lines without a ledger entry", () => {
  it("may settle and return within the completion delay, and the ledger books neither", () => {
    expect(matchLines([bank(), bank({ side: "In", kind: "Return" })])).toMatchObject({
      matchedCount: 2,
      unmatched: [],
    });
  });

  it("stay open while the ledger still holds the order, until it has booked both the settlement and the return, or neither", () => {
    const [out, back] = [bank(), bank({ side: "In", kind: "Return" })];
    const held = { settlements: new Set([one]) };
    expect(leftOf([out, back], held)).toEqual(["~BankLine 500 NotYetBooked", "~BankLine 500 NotYetBooked"]);
    const { unmatched, matchedCount } = reopenWhileHoldOpen(matchLines([out, back]), {
      settlements: new Set([one]),
    });
    expect([unmatched, matchedCount]).toEqual([[out, back], 0]);
    // First the settlement without the return, then both.
    expect(matchLines([...unmatched, entry()]).unmatched).toEqual([back]);
    expect(matchLines([...unmatched, entry(), entry({ side: "In" })]).unmatched).toEqual([]);
  });

  it("may misprint, reverse and then print the right amount", () => {
    const wrong = bank({ amountCents: 600n });
    const right = [bank({ amountCents: 600n, side: "In", kind: "Adjustment" }), bank()];
    expect(matchLines([wrong, entry(), ...right])).toMatchObject({ matchedCount: 3, unmatched: [] });
  });

  it("never match a line of another account", () => {
    const open = leftOf([bank(), bank({ side: "In", account: "StablecoinWallet" })]);
    expect(open).toEqual(["BankLine 500 NoLedgerEntry", "BankLine 500 NoLedgerEntry"]);
  });
});

describe("an open item", () => {
  it("is in transit if it is a settlement whose order is still held, however old", () => {
    const line = bank({ occurredAt: new Date("2026-01-05T15:00:00.000Z") });
    expect(leftOf([line], { settlements: new Set([one]) })).toEqual(["~BankLine 500 NotYetBooked"]);
    expect(leftOf([line], { settlements: new Set([two]) })).toEqual(["BankLine 500 NoLedgerEntry"]);
  });

  it("is unmatched if the bank invented the line, even if its order is held", () => {
    expect(leftOf([bank({ kind: "Adjustment" })], { settlements: new Set([one]) })).toEqual([
      "BankLine 500 NoLedgerEntry",
    ]);
  });

  it.each([
    ["2026-03-03T10:59:30.000Z", "~BankLine 500 NotYetBooked"],
    ["2026-03-03T10:59:00.000Z", "BankLine 500 NoLedgerEntry"],
  ])("that is a return line of %s gives %s", (at, unmatched) => {
    const line = bank({ kind: "Return", side: "In", occurredAt: new Date(at) });
    expect(leftOf([line], { returns: new Set([one]) })).toEqual([unmatched]);
    expect(leftOf([line])).toEqual(["BankLine 500 NoLedgerEntry"]);
  });

  it.each([
    ["2026-03-03T10:59:30.000Z", "~BankLine 500 NotYetBooked"],
    ["2026-03-03T10:59:00.000Z", "BankLine 500 NoLedgerEntry"],
  ])("that is an inbound line of %s gives %s", (at, unmatched) => {
    const line = bank({
      kind: "Inbound",
      side: "In",
      orderId: null,
      matchKey: "ref 79",
      occurredAt: new Date(at),
    });
    expect(leftOf([line])).toEqual([unmatched]);
  });

  it("is unmatched at once if it is a line with another amount than the ledger has booked", () => {
    const inbound = { side: "In", orderId: null, matchKey: "ref 79" } as const;
    const line = bank({ ...inbound, kind: "Inbound", occurredAt: new Date("2026-03-03T10:59:30.000Z") });
    expect(leftOf([line, entry({ ...inbound, kind: "Inbound", amountCents: 501n })]).toSorted()).toEqual([
      "BankLine 500 AmountDiffers",
      "LedgerEntry 501 AmountDiffers",
    ]);
  });

  it("is in transit if it is a young return of a payment whose settlement has another amount", () => {
    const settled = bank({ amountCents: 501n });
    const back = bank({ kind: "Return", side: "In", occurredAt: new Date("2026-03-03T10:59:30.000Z") });
    const returns = new Set([one]);
    expect(leftOf([settled, entry(), back], { returns }).toSorted()).toEqual([
      "BankLine 501 AmountDiffers",
      "LedgerEntry 500 AmountDiffers",
      "~BankLine 500 NotYetBooked",
    ]);
  });

  it.each([
    ["at the statement's end", "~LedgerEntry 500 NotYetAtBank", 0],
    ["before it", "LedgerEntry 500 NoBankLine", -1],
  ])("that is an entry effective %s gives %s, if it was appended before that end", (_when, left, ms) => {
    const occurredAt = new Date(endsAt.getTime() + ms);
    const recordedAt = new Date(endsAt.getTime() - 1);
    expect(leftOf([entry({ occurredAt, recordedAt })])).toEqual([left]);
  });

  it.each([
    ["in the statement's last minute", "~LedgerEntry 500 NotYetAtBank", -60_000],
    ["before that minute", "LedgerEntry 500 NoBankLine", -60_001],
  ])(
    "that is an entry effective %s gives %s, if it was appended after the statement's end",
    (_when, left, ms) => {
      const occurredAt = new Date(endsAt.getTime() + ms);
      expect(leftOf([entry({ occurredAt, recordedAt: endsAt })])).toEqual([left]);
    },
  );

  it.each([
    [
      "is in transit if it was appended once the bank had issued the statement",
      "~LedgerEntry 500 NotYetAtBank",
      0,
    ],
    ["is unmatched if it was appended before", "LedgerEntry 500 NoBankLine", -1],
  ])("that is an entry of the last minute %s, whatever the book's clock says", (_when, left, ms) => {
    const appendedFrom = new Date("2026-11-27T09:00:00.000Z");
    const occurredAt = new Date(endsAt.getTime() - 1);
    const recordedAt = new Date(appendedFrom.getTime() + ms);
    expect(leftOf([entry({ occurredAt, recordedAt })], {}, { ...times, appendedFrom })).toEqual([left]);
  });
});

describe("any two records", () => {
  const orders = [newId("po"), newId("po"), newId("po")];
  const movements = fc.array(
    fc.record({
      source: fc.constantFrom("BankLine", "LedgerEntry"),
      orderId: fc.constantFrom(...orders),
      account: fc.constantFrom("SettlementCash", "StablecoinWallet"),
      side: fc.constantFrom("In", "Out"),
      amountCents: fc.bigInt({ min: 1n, max: 4n }),
      kind: fc.constantFrom("Settlement", "Return", "Inbound", "Adjustment"),
      occurredAt: fc.date({ min: new Date("2026-03-01"), max: new Date("2026-03-05"), noInvalidDate: true }),
    }),
    { maxLength: 12 },
  );

  it("have open items that explain the whole difference", () => {
    fc.assert(
      fc.property(movements, (wishes) => {
        const all = wishes.map(({ source, ...more }) =>
          movement(source as Movement["source"], more as object),
        );
        const items = classifyOpenItems(matchLines(all), nobody, times);
        const sum = (of: readonly Movement[], source: string) =>
          of
            .filter((one) => one.source === source)
            .reduce(
              (cents, { side, amountCents }) => cents + (side === "In" ? amountCents : -amountCents),
              0n,
            );
        expect(sum(items, "BankLine") - sum(items, "LedgerEntry")).toBe(
          sum(all, "BankLine") - sum(all, "LedgerEntry"),
        );
        expect(balanceOf(items)).toBe(balanceOf(all));
      }),
    );
  });

  it("have every bank line either matched or open, and nothing twice", () => {
    fc.assert(
      fc.property(movements, (wishes) => {
        const all = wishes.map(({ source, ...more }) =>
          movement(source as Movement["source"], more as object),
        );
        const { matchedCount, unmatched } = matchLines(all);
        const lines = (of: readonly Movement[]) => of.filter(({ source }) => source === "BankLine").length;
        expect(matchedCount + lines(unmatched)).toBe(lines(all));
        expect(new Set(unmatched).size).toBe(unmatched.length);
        // Matching the rest again finds nothing more.
        expect(matchLines(unmatched).unmatched).toHaveLength(unmatched.length);
      }),
    );
  });
});
