import { describe, expect, it } from "vitest";
import { Refusal } from "../errors.ts";
import { canBeMagic, magicScenario, rejectImpossibleScenario } from "./magic-numbers.ts";

describe("magic account numbers", () => {
  it.each([
    ["100001", { kind: "ReturnBeforeSettlement", code: "R01" }],
    ["100085", { kind: "ReturnBeforeSettlement", code: "R85" }],
    ["200010", { kind: "LateReturn", code: "R10" }],
    ["300403", { kind: "Reject", code: "AC03" }],
    ["300404", { kind: "Reject", code: "AC04" }],
    ["400000", { kind: "TimeoutThenSettle" }],
  ])("reads %s", (accountNumber, scenario) => {
    expect(magicScenario(accountNumber, "Ach")).toEqual(scenario);
  });

  it.each(["100000", "100086", "200086", "1000011", "0100001", "300500", "400001", "123456789", ""])(
    "has no scenario for %s",
    (accountNumber) => {
      expect(magicScenario(accountNumber, "Ach")).toBeNull();
    },
  );

  it.each(["100001", "100085", "200010", "300403", "300499", "400000"])(
    "says by the last four digits that %s can be magic",
    (number) => {
      expect(canBeMagic(number.slice(-4))).toBe(true);
    },
  );

  it("rules out an ordinary number by its last four digits", () => {
    expect(canBeMagic("6789")).toBe(false);
    expect(canBeMagic("")).toBe(false);
  });

  it("sees nothing magic in a ledger account or a wallet", () => {
    expect(magicScenario("400000", "Book")).toBeNull();
    expect(magicScenario("400000", "Usdc")).toBeNull();
  });
});

function refusalOf(...args: Parameters<typeof rejectImpossibleScenario>): Refusal {
  try {
    rejectImpossibleScenario(...args);
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal;
    throw refusal;
  }
  throw new Error("nothing was refused");
}

describe("a magic number at submission", () => {
  it("is refused when its code can't happen, naming those that can", () => {
    const refusal = refusalOf("100001", "Ach", "Credit");
    expect(refusal.code).toBe("simulation_not_applicable");
    expect(refusal.message).toBe(
      "The account number requests R01, which is not possible for a Credit over Ach. Possible codes: R02, R03, R04, R06, R12, " +
        "R14, R15, R16, R17, R20, R21, R22, R23, R24.",
    );
    expect(refusal.errors).toEqual([
      { pointer: "/counterpartyAccountNumber", code: "simulation_not_applicable", message: refusal.message },
    ]);
    expect(refusal.context).toMatchObject({
      code: "R01",
      allowedCodes: expect.arrayContaining(["R02", "R24"]),
    });
  });

  it("is refused when the rail has no such answer at all", () => {
    expect(refusalOf("100003", "Rtp", "Credit").message).toContain("No code is possible there.");
    expect(refusalOf("300403", "Ach", "Debit").context).toMatchObject({ allowedCodes: [] });
    expect(refusalOf("300499", "Rtp", "Credit").context).toMatchObject({
      allowedCodes: expect.arrayContaining(["AC03"]),
    });
  });

  it.each(["100000", "100086", "100101", "200000", "200099", "300003", "300500", "400001", "400404"])(
    "is refused when it is mistyped: %s",
    (accountNumber) => {
      for (const rail of ["Ach", "SameDayAch", "Rtp", "Wire"] as const) {
        const refusal = refusalOf(accountNumber, rail, "Credit");
        expect(refusal.code).toBe("simulation_not_applicable");
        expect(refusal.message).toContain("begin with 100, 200, 300 or 400");
        expect(refusal.message).not.toContain(accountNumber);
        expect(refusal.errors?.map(({ pointer }) => pointer)).toEqual(["/counterpartyAccountNumber"]);
      }
    },
  );

  it.each(["500000", "101001", "10001", "1000086", "0100086", "10008A", "000123456789"])(
    "is not mistyped if it has another form: %s",
    (accountNumber) => {
      expect(() => rejectImpossibleScenario(accountNumber, "Ach", "Credit")).not.toThrow();
    },
  );

  it("passes as the name of a ledger account, and of a wallet", () => {
    expect(() => rejectImpossibleScenario("100086", "Book", "Credit")).not.toThrow();
    expect(() => rejectImpossibleScenario("100086", "Usdc", "Credit")).not.toThrow();
  });

  it("passes when it can happen, and when it is not magic", () => {
    expect(() => rejectImpossibleScenario("100001", "Ach", "Debit")).not.toThrow();
    expect(() => rejectImpossibleScenario("200003", "SameDayAch", "Credit")).not.toThrow();
    expect(() => rejectImpossibleScenario("300403", "Rtp", "Credit")).not.toThrow();
    expect(() => rejectImpossibleScenario("400000", "Wire", "Credit")).not.toThrow();
    expect(() => rejectImpossibleScenario("123456789", "Ach", "Credit")).not.toThrow();
  });
});
