import { describe, expect, it } from "vitest";
import { Refusal } from "../../../../contracts/errors.ts";
import { type Injection, injectedSteps as stepsByTimetable, toInjection as checked } from "./injection.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import type { RailEvent } from "./instruction.ts";
import { timetableOf } from "./timetable.ts";

const accepted: RailEvent = { kind: "Accepted" };
const settled: RailEvent = { kind: "Settled" };
const returned: RailEvent = { kind: "Returned", code: "R10" };
const rejected: RailEvent = {
  kind: "Failed",
  code: "rail_rejected",
  message: "The rail refused the payment",
};
const toInjection = (
  rail: Rail,
  direction: OrderDirection,
  request: Parameters<typeof checked>[1],
  bankingDate = "2026-07-01",
) => checked({ rail, direction }, request, bankingDate);
const at = new Date("2026-07-01T12:00:00.000Z");
const now = (event: RailEvent) => ({ event, dueAt: at });
const injectedSteps = (published: readonly RailEvent[], injection: Injection, force = false) =>
  stepsByTimetable(published, injection, timetableOf({ rail: "Ach" }, "Instant", at), force);

function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal;
    throw refusal;
  }
  throw new Error("nothing was refused");
}

describe("the code of an injection", () => {
  it.each([
    ["Ach", "Debit", "return", "R01"],
    ["Ach", "Credit", "return", "R03"],
    ["SameDayAch", "Debit", "late-return", "R01"],
    ["SameDayAch", "Credit", "late-return", "R03"],
    ["Rtp", "Credit", "fail", "AC04"],
    ["Ach", "Credit", "fail", "rail_rejected"],
    ["Wire", "Credit", "fail", "rail_rejected"],
    ["Usdc", "Credit", "fail", "rail_rejected"],
    ["Ach", "Debit", "settle", null],
    ["Rtp", "Credit", "accept", null],
  ] as const)("on a %s %s %s defaults to %s", (rail, direction, action, code) => {
    expect(toInjection(rail, direction, { action })).toEqual({ action, code });
  });

  it("is the caller's if rail and direction allow it", () => {
    expect(toInjection("Ach", "Credit", { action: "return", code: "R02" }).code).toBe("R02");
    expect(toInjection("Rtp", "Credit", { action: "fail", code: "AC03" }).code).toBe("AC03");
  });

  it("is refused if rail and direction don't allow it, and the refusal names those that are allowed", () => {
    const refusal = refusalOf(() => toInjection("Ach", "Credit", { action: "return", code: "R01" }));
    expect(refusal.code).toBe("simulation_not_applicable");
    expect(refusal.message).toBe(
      "return of a Credit over Ach can't carry R01. Possible codes: R02, R03, R04, R06, R12, R14, R15, R16, R17, R20, R21, " +
        "R22, R23, R24.",
    );
    expect(refusal.context?.["allowedCodes"]).toContain("R02");
  });

  it.each([
    ["Ach", "Credit", "fail", "AC04"],
    ["Rtp", "Credit", "fail", "R01"],
    ["Ach", "Debit", "settle", "R01"],
    ["Wire", "Credit", "return", "R03"],
    ["Ach", "Debit", "return", "R48"],
  ] as const)("is refused on a %s %s %s with %s", (rail, direction, action, code) => {
    expect(refusalOf(() => toInjection(rail, direction, { action, code })).code).toBe(
      "simulation_not_applicable",
    );
  });

  it("is refused before the day on which it begins, which the refusal names", () => {
    const on = (day: string) => toInjection("Ach", "Credit", { action: "late-return", code: "R90" }, day);
    expect(refusalOf(() => on("2028-03-16")).message).toMatch(
      /^R90 begins on 2028-03-17, and it is 2028-03-16 in this book\. Possible codes: R02, /,
    );
    expect(on("2028-03-17").code).toBe("R90");
    const onWire = () => toInjection("Wire", "Credit", { action: "return", code: "R90" });
    expect(refusalOf(onWire).message).toMatch(/^Wire has no returns\./);
  });

  it("may be any known code by force, and never an unknown one", () => {
    expect(toInjection("Ach", "Credit", { action: "return", code: "R01", force: true }).code).toBe("R01");
    expect(toInjection("Wire", "Credit", { action: "late-return", force: true }).code).toBe("R03");
    expect(() => toInjection("Ach", "Debit", { action: "return", code: "R48", force: true })).toThrow(
      Refusal,
    );
    expect(() => toInjection("Ach", "Debit", { action: "fail", code: "R01", force: true })).toThrow(Refusal);
  });

  it("can't be a return on a rail without returns, and can't be anything on Book", () => {
    expect(refusalOf(() => toInjection("Rtp", "Credit", { action: "return" })).message).toBe(
      "Rtp has no returns. Use fail to have the rail refuse the payment.",
    );
    const withCode = () => toInjection("Rtp", "Credit", { action: "late-return", code: "R10" });
    expect(refusalOf(withCode).message).toMatch(/^Rtp has no returns\. Use fail/);
    expect(() => toInjection("Book", "Credit", { action: "settle" })).toThrow("never meets a rail");
  });
});

describe("a notice of change", () => {
  const notify = (rail: Rail, more: Partial<Parameters<typeof checked>[1]>) =>
    toInjection(rail, "Credit", { action: "notify-of-change", ...more });

  it.each([
    ["C01", { accountNumber: { keyId: "k1", ciphertext: "…", last4: "6789" } }],
    ["C02", { routingNumber: "790001102" }],
    ["C04", { name: "Ada B. Example" }],
    ["C05", { transactionCode: "32" }],
    ["C09", { individualId: "EMP-17" }],
  ] as const)("%s has what its code corrects", (code, correctedData) => {
    const injection = { action: "notify-of-change", code, correctedData };
    expect(notify("Ach", { code, correctedData })).toEqual(injection);
    expect(injectedSteps([accepted, settled], injection as Injection)).toEqual([
      now({ kind: "NoticeOfChange", code, correctedData }),
    ]);
  });

  it.each([
    ["without a code", {}, "missing_field /code"],
    ["with a return code", { code: "R03" }, "simulation_not_applicable /code"],
    ["without what its code corrects", { code: "C02" }, "missing_field /correctedData/routingNumber"],
    [
      "with what its code does not correct",
      { code: "C04", correctedData: { name: "Ada", individualId: "7" } },
      "invalid_field /correctedData/individualId",
    ],
    [
      "with a routing number whose check digit is wrong",
      { code: "C02", correctedData: { routingNumber: "790001103" }, force: true },
      "invalid_routing_number /correctedData/routingNumber",
    ],
  ])("is refused %s", (_why, more, expected) => {
    const { code, errors } = refusalOf(() => notify("SameDayAch", more));
    expect(`${code} ${String(errors?.[0]?.pointer)}`).toBe(expected);
  });

  it("is refused on a rail without them, and its data with another action", () => {
    const correctedData = { name: "Ada" };
    expect(refusalOf(() => notify("Wire", { code: "C04", correctedData })).code).toBe(
      "simulation_not_applicable",
    );
    const settle = () => toInjection("Ach", "Credit", { action: "settle", correctedData });
    expect(refusalOf(settle).errors).toMatchObject([{ pointer: "/correctedData", code: "invalid_field" }]);
  });
});

describe("an injection at the rail", () => {
  it("settles an accepted payment, and accepts another one first", () => {
    expect(injectedSteps([accepted], { action: "settle", code: null })).toEqual([now(settled)]);
    expect(injectedSteps([], { action: "settle", code: null })).toEqual([now(accepted), now(settled)]);
  });

  it("does nothing if it is to accept an accepted payment", () => {
    expect(injectedSteps([accepted], { action: "accept", code: null })).toEqual([]);
  });

  it("fails or returns a payment that has not settled", () => {
    expect(injectedSteps([accepted], { action: "fail", code: "rail_rejected" })).toEqual([now(rejected)]);
    expect(injectedSteps([accepted], { action: "return", code: "R10" })).toEqual([now(returned)]);
  });

  it("refuses a return after settlement and names late-return", () => {
    const refusal = refusalOf(() => injectedSteps([accepted, settled], { action: "return", code: "R10" }));
    expect(refusal.message).toBe("The payment has settled. Use late-return to have it come back.");
    expect(refusal.context).toEqual({ instead: "late-return" });
  });

  it("returns a settled payment late, and settles another one first", () => {
    expect(injectedSteps([accepted, settled], { action: "late-return", code: "R10" })).toEqual([
      now(returned),
    ]);
    expect(injectedSteps([accepted], { action: "late-return", code: "R10" })).toEqual([
      now(settled),
      { event: returned, dueAt: new Date("2026-07-01T12:00:00.150Z") },
    ]);
  });

  it("by force contradicts what the rail has published, as banks do", () => {
    const settle = { action: "settle", code: null } as const;
    expect(injectedSteps([accepted, rejected], settle, true)).toEqual([now(settled)]);
    const again = { action: "late-return", code: "R01" } as const;
    const other = { kind: "Returned", code: "R01" } as const;
    expect(injectedSteps([accepted, settled, returned], again, true)).toEqual([now(other)]);
    expect(injectedSteps([accepted, returned], again, true)).toEqual([now(other)]);
  });

  it("settles once and returns once per code, even by force", () => {
    const settle = { action: "settle", code: null } as const;
    expect(() => injectedSteps([accepted, settled], settle, true)).toThrow("already settled");
    const again = { action: "return", code: "R10" } as const;
    expect(injectedSteps([accepted, returned], again, true)).toEqual([]);
    expect(injectedSteps([accepted, settled, returned], again, true)).toEqual([]);
  });

  it("adds nothing if the same late return is repeated, and refuses another return", () => {
    const published = [accepted, settled, returned];
    expect(injectedSteps(published, { action: "late-return", code: "R10" })).toEqual([]);
    expect(() => injectedSteps(published, { action: "late-return", code: "R01" })).toThrow(
      "has been returned",
    );
  });

  it.each([
    ["accept", [accepted, settled]],
    ["settle", [accepted, settled]],
    ["fail", [accepted, settled]],
    ["settle", [rejected]],
    ["late-return", [rejected]],
    ["return", [accepted, returned]],
    ["late-return", [accepted, returned]],
  ] as const)("to %s is refused if the payment is past it", (action, published) => {
    const code = action === "accept" || action === "settle" ? null : "R10";
    const injection = { action, code } as Parameters<typeof injectedSteps>[1];
    expect(refusalOf(() => injectedSteps(published, injection)).code).toBe("simulation_not_applicable");
  });
});

describe("an action in a state", () => {
  const states = {
    New: [],
    Open: [accepted],
    Settled: [accepted, settled],
    Returned: [accepted, returned],
    SettledAndReturned: [accepted, settled, returned],
  };
  const outcomeOf = (action: string, state: keyof typeof states, force: boolean): string => {
    const code = action === "accept" || action === "settle" ? null : "R01";
    const injection = { action, code } as Parameters<typeof injectedSteps>[1];
    try {
      const steps = injectedSteps(states[state], injection, force);
      return steps.map(({ event }) => event.kind).join(" ");
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      return "refused";
    }
  };

  it.each([
    ["accept", "New", "Accepted", "Accepted"],
    ["accept", "Open", "", ""],
    ["accept", "Settled", "refused", ""],
    ["accept", "Returned", "refused", ""],
    ["accept", "SettledAndReturned", "refused", ""],
    ["settle", "New", "Accepted Settled", "Accepted Settled"],
    ["settle", "Open", "Settled", "Settled"],
    ["settle", "Settled", "refused", "refused"],
    ["settle", "Returned", "refused", "Settled"],
    ["settle", "SettledAndReturned", "refused", "refused"],
    ["fail", "New", "Failed", "Failed"],
    ["fail", "Open", "Failed", "Failed"],
    ["fail", "Settled", "refused", "Failed"],
    ["fail", "Returned", "refused", "Failed"],
    ["fail", "SettledAndReturned", "refused", "Failed"],
    ["return", "New", "Accepted Returned", "Accepted Returned"],
    ["return", "Open", "Returned", "Returned"],
    ["return", "Settled", "refused", "Returned"],
    ["return", "Returned", "refused", "Returned"],
    ["return", "SettledAndReturned", "refused", "Returned"],
    ["late-return", "New", "Accepted Settled Returned", "Accepted Settled Returned"],
    ["late-return", "Open", "Settled Returned", "Settled Returned"],
    ["late-return", "Settled", "Returned", "Returned"],
    ["late-return", "Returned", "refused", "Returned"],
    ["late-return", "SettledAndReturned", "refused", "Returned"],
    ["notify-of-change", "New", "Accepted Settled NoticeOfChange", "Accepted Settled NoticeOfChange"],
    ["notify-of-change", "Open", "Settled NoticeOfChange", "Settled NoticeOfChange"],
    ["notify-of-change", "Settled", "NoticeOfChange", "NoticeOfChange"],
    ["notify-of-change", "Returned", "refused", "NoticeOfChange"],
    ["notify-of-change", "SettledAndReturned", "refused", "NoticeOfChange"],
  ] as const)("%s, %s: publishes %j, by force %j", (action, state, without, forced) => {
    expect([outcomeOf(action, state, false), outcomeOf(action, state, true)]).toEqual([without, forced]);
  });
});
