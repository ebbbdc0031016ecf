import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newId, type PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import { balanceOf, classifyOpenItems, type Movement, matchLines, reopenWhileHoldOpen } from "./matching.ts";

const endsAt = new Date("2026-03-03T05:00:00.000Z");
const readAt = new Date("2026-03-03T11:00:00.000Z");
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
    firstSeen: "2026-03-02",
    ...more,
  };
}
const bank = (more?: Partial<Movement>) => movement("BankLine", more);
const entry = (more?: Partial<Movement>) => movement("LedgerEntry", more);

/** What is left of it: `BankLine 500 NoLedgerEntry`, in transit with a `~`. */
function leftOf(movements: readonly Movement[], awaited: Partial<typeof nobody> = {}): string[] {
  const all = { ...nobody, ...awaited };
  const items = classifyOpenItems(reopenWhileHoldOpen(matchLines(movements), all), all, { endsAt, readAt });
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

  it("match one to one: a payment that the bank made twice stands there once", () => {
    const twice = [bank(), bank(), entry()];
    expect(matchLines(twice).matchedCount).toBe(1);
    expect(leftOf(twice)).toEqual(["BankLine 500 NoLedgerEntry"]);
  });

  it("match the oldest of those that are alike", () => {
    const [older, newer] = [entry(), entry()];
    expect(matchLines([older, newer, bank()]).unmatched).toEqual([newer]);
  });

  it("are looked at a few times each, however many an order has", () => {
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

describe("the bank alone", () => {
  it("may settle and return within the return window: the ledger books neither", () => {
    expect(matchLines([bank(), bank({ side: "In", kind: "Return" })])).toMatchObject({
      matchedCount: 2,
      unmatched: [],
    });
  });

  it("may have settled and returned what the ledger still holds: both stay open, until it has booked both or neither", () => {
    const [out, back] = [bank(), bank({ side: "In", kind: "Return" })];
    const held = { settlements: new Set([one]) };
    expect(leftOf([out, back], held)).toEqual(["~BankLine 500 NotYetBooked", "~BankLine 500 NotYetBooked"]);
    const { unmatched, matchedCount } = reopenWhileHoldOpen(matchLines([out, back]), {
      settlements: new Set([one]),
    });
    expect([unmatched, matchedCount]).toEqual([[out, back], 0]);
    // Settled, and not returned yet; then the whole of it.
    expect(matchLines([...unmatched, entry()]).unmatched).toEqual([back]);
    expect(matchLines([...unmatched, entry(), entry({ side: "In" })]).unmatched).toEqual([]);
  });

  it("may misprint, take it back and print it right", () => {
    const wrong = bank({ amountCents: 600n });
    const right = [bank({ amountCents: 600n, side: "In", kind: "Adjustment" }), bank()];
    expect(matchLines([wrong, entry(), ...right])).toMatchObject({ matchedCount: 3, unmatched: [] });
  });

  it("never has another account's line make up for it", () => {
    const open = leftOf([bank(), bank({ side: "In", account: "StablecoinWallet" })]);
    expect(open).toEqual(["BankLine 500 NoLedgerEntry", "BankLine 500 NoLedgerEntry"]);
  });
});

describe("in transit", () => {
  it("is a settlement whose order is still held, however old", () => {
    const line = bank({ occurredAt: new Date("2026-01-05T15:00:00.000Z") });
    expect(leftOf([line], { settlements: new Set([one]) })).toEqual(["~BankLine 500 NotYetBooked"]);
    expect(leftOf([line], { settlements: new Set([two]) })).toEqual(["BankLine 500 NoLedgerEntry"]);
  });

  it("is no line that the bank made up, though its order is held", () => {
    expect(leftOf([bank({ kind: "Adjustment" })], { settlements: new Set([one]) })).toEqual([
      "BankLine 500 NoLedgerEntry",
    ]);
  });

  it.each([
    ["2026-03-03T10:59:30.000Z", "~BankLine 500 NotYetBooked"],
    ["2026-03-03T10:59:00.000Z", "BankLine 500 NoLedgerEntry"],
  ])("is a return of %s, for a minute", (at, unmatched) => {
    const line = bank({ kind: "Return", side: "In", occurredAt: new Date(at) });
    expect(leftOf([line], { returns: new Set([one]) })).toEqual([unmatched]);
    expect(leftOf([line])).toEqual(["BankLine 500 NoLedgerEntry"]);
  });

  it.each([
    ["2026-03-03T10:59:30.000Z", "~BankLine 500 NotYetBooked"],
    ["2026-03-03T10:59:00.000Z", "BankLine 500 NoLedgerEntry"],
  ])("is what came in at %s, for a minute", (at, unmatched) => {
    const line = bank({
      kind: "Inbound",
      side: "In",
      orderId: null,
      matchKey: "ref 79",
      occurredAt: new Date(at),
    });
    expect(leftOf([line])).toEqual([unmatched]);
  });

  it("is an entry that takes effect at the statement's end or later", () => {
    const before = new Date(endsAt.getTime() - 1);
    expect(leftOf([entry({ occurredAt: endsAt })])).toEqual(["~LedgerEntry 500 NotYetAtBank"]);
    expect(leftOf([entry({ occurredAt: before })])).toEqual(["LedgerEntry 500 NoBankLine"]);
  });
});

describe("whatever the two records say", () => {
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

  it("the open items are the whole of the difference", () => {
    fc.assert(
      fc.property(movements, (wishes) => {
        const all = wishes.map(({ source, ...more }) =>
          movement(source as Movement["source"], more as object),
        );
        const items = classifyOpenItems(matchLines(all), nobody, { endsAt, readAt });
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

  it("every bank line is matched or unmatched, and nothing is left twice", () => {
    fc.assert(
      fc.property(movements, (wishes) => {
        const all = wishes.map(({ source, ...more }) =>
          movement(source as Movement["source"], more as object),
        );
        const { matchedCount, unmatched } = matchLines(all);
        const lines = (of: readonly Movement[]) => of.filter(({ source }) => source === "BankLine").length;
        expect(matchedCount + lines(unmatched)).toBe(lines(all));
        expect(new Set(unmatched).size).toBe(unmatched.length);
        // Pairing what is left again finds nothing more.
        expect(matchLines(unmatched).unmatched).toHaveLength(unmatched.length);
      }),
    );
  });
});
