import { describe, expect, it } from "vitest";
import { Refusal } from "../../../../contracts/errors.ts";
import { injectionFor, stepsOfInjection } from "./injection.ts";
import type { RailEvent } from "./instruction.ts";

const accepted: RailEvent = { kind: "Accepted" };
const settled: RailEvent = { kind: "Settled" };
const returned: RailEvent = { kind: "Returned", code: "R10" };
const rejected: RailEvent = {
  kind: "Failed",
  code: "rail_rejected",
  message: "The rail refused the payment",
};
const now = (event: RailEvent) => ({ event, afterMs: 0 });

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
  ] as const)("on a %s %s %s is %s when none is given", (rail, direction, action, code) => {
    expect(injectionFor(rail, direction, { action })).toEqual({ action, code });
  });

  it("is the caller's when it can happen", () => {
    expect(injectionFor("Ach", "Credit", { action: "return", code: "R02" }).code).toBe("R02");
    expect(injectionFor("Rtp", "Credit", { action: "fail", code: "AC03" }).code).toBe("AC03");
  });

  it("is refused when rail and direction don't allow it, naming those that can", () => {
    const refusal = refusalOf(() => injectionFor("Ach", "Credit", { action: "return", code: "R01" }));
    expect(refusal.code).toBe("simulation_not_applicable");
    expect(refusal.message).toBe(
      "return can't carry R01 on a Ach Credit. These can: R02, R03, R04, R06, R12, R14, R15, R16, R17, R20, R21, " +
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
    expect(refusalOf(() => injectionFor(rail, direction, { action, code })).code).toBe(
      "simulation_not_applicable",
    );
  });

  it("lets a known code happen by force, and never an unknown one", () => {
    expect(injectionFor("Ach", "Credit", { action: "return", code: "R01", force: true }).code).toBe("R01");
    expect(injectionFor("Wire", "Credit", { action: "late-return", force: true }).code).toBe("R03");
    expect(() => injectionFor("Ach", "Debit", { action: "return", code: "R48", force: true })).toThrow(
      Refusal,
    );
    expect(() => injectionFor("Ach", "Debit", { action: "fail", code: "R01", force: true })).toThrow(Refusal);
  });

  it("has no returns on rails that know none, and nothing at all on Book", () => {
    expect(refusalOf(() => injectionFor("Rtp", "Credit", { action: "return" })).message).toBe(
      "Rtp has no returns. Use fail to have the rail refuse the payment.",
    );
    expect(() => injectionFor("Book", "Credit", { action: "settle" })).toThrow("never meets a rail");
  });
});

describe("an injection at the rail", () => {
  it("settles what was accepted, and accepts first what was not", () => {
    expect(stepsOfInjection([accepted], { action: "settle", code: null })).toEqual([now(settled)]);
    expect(stepsOfInjection([], { action: "settle", code: null })).toEqual([now(accepted), now(settled)]);
  });

  it("holds an accepted payment where it is", () => {
    expect(stepsOfInjection([accepted], { action: "accept", code: null })).toEqual([]);
  });

  it("fails and returns what has not settled", () => {
    expect(stepsOfInjection([accepted], { action: "fail", code: "rail_rejected" })).toEqual([now(rejected)]);
    expect(stepsOfInjection([accepted], { action: "return", code: "R10" })).toEqual([now(returned)]);
  });

  it("refuses a return after settlement and names late-return", () => {
    const refusal = refusalOf(() => stepsOfInjection([accepted, settled], { action: "return", code: "R10" }));
    expect(refusal.message).toBe("The payment has settled. Use late-return to have it come back.");
    expect(refusal.context).toEqual({ instead: "late-return" });
  });

  it("returns late what has settled, and settles first what has not", () => {
    expect(stepsOfInjection([accepted, settled], { action: "late-return", code: "R10" })).toEqual([
      now(returned),
    ]);
    expect(stepsOfInjection([accepted], { action: "late-return", code: "R10" })).toEqual([
      now(settled),
      { event: returned, afterMs: 150 },
    ]);
  });

  it("lets the rail contradict itself by force, as banks do", () => {
    const settle = { action: "settle", code: null } as const;
    expect(stepsOfInjection([accepted, rejected], settle, true)).toEqual([now(settled)]);
    const again = { action: "late-return", code: "R01" } as const;
    const other = { kind: "Returned", code: "R01" } as const;
    expect(stepsOfInjection([accepted, settled, returned], again, true)).toEqual([now(other)]);
    expect(stepsOfInjection([accepted, returned], again, true)).toEqual([now(other)]);
  });

  it("settles once and returns with one code once, by force neither twice", () => {
    const settle = { action: "settle", code: null } as const;
    expect(() => stepsOfInjection([accepted, settled], settle, true)).toThrow("settles once");
    const again = { action: "return", code: "R10" } as const;
    expect(stepsOfInjection([accepted, returned], again, true)).toEqual([]);
    expect(stepsOfInjection([accepted, settled, returned], again, true)).toEqual([]);
  });

  it("has nothing new to say when the same late return is injected again, and refuses another", () => {
    const said = [accepted, settled, returned];
    expect(stepsOfInjection(said, { action: "late-return", code: "R10" })).toEqual([]);
    expect(() => stepsOfInjection(said, { action: "late-return", code: "R01" })).toThrow("has been returned");
  });

  it.each([
    ["accept", [accepted, settled]],
    ["settle", [accepted, settled]],
    ["fail", [accepted, settled]],
    ["settle", [rejected]],
    ["late-return", [rejected]],
    ["return", [accepted, returned]],
    ["late-return", [accepted, returned]],
  ] as const)("refuses %s of a payment that is past it", (action, said) => {
    const code = action === "accept" || action === "settle" ? null : "R10";
    const injection = { action, code } as Parameters<typeof stepsOfInjection>[1];
    expect(refusalOf(() => stepsOfInjection(said, injection)).code).toBe("simulation_not_applicable");
  });
});
