import { describe, expect, it } from "vitest";
import {
  isPossibleCode,
  codesFor,
  returnCode,
  returnCodes,
  returnReason,
  rtpRejectCodes,
} from "./return-codes.ts";

// Nacha: what a receiver's bank may say of a credit.
const legalOnACredit = ["R02", "R03", "R04", "R06", "R12", "R14", "R15", "R16", "R17"].concat([
  "R20",
  "R21",
  "R22",
  "R23",
  "R24",
]);

describe("return codes", () => {
  it("lists each code once, in order", () => {
    const codes = returnCodes.map(({ code }) => code);
    expect(codes).toHaveLength(71);
    expect(codes).toEqual([...new Set(codes)].sort());
    expect(new Set(returnCodes.map(({ reason }) => reason)).size).toBe(71);
  });

  it("names the reasons that callers read", () => {
    expect(returnReason("R01")).toBe("InsufficientFunds");
    expect(returnReason("R02")).toBe("AccountClosed");
    expect(returnReason("R03")).toBe("NoAccount");
    expect(returnReason("R99")).toBe("Other");
  });

  it("knows the windows: two banking days, and sixty calendar days for unauthorized consumer debits", () => {
    expect(returnCode("R01")?.window).toEqual({ bankingDays: 2 });
    for (const code of ["R05", "R07", "R10", "R11", "R51"]) {
      expect(returnCode(code)).toMatchObject({ window: { calendarDays: 60 }, unauthorized: true });
    }
  });

  it.each(["Ach", "SameDayAch"] as const)("lets a %s credit return with the legal codes only", (rail) => {
    expect(codesFor(rail, "Credit", "return")).toEqual(legalOnACredit);
    expect(codesFor(rail, "Credit", "late-return")).toEqual(legalOnACredit);
    expect(isPossibleCode("R01", rail, "Credit")).toBe(false);
    expect(isPossibleCode("R03", rail, "Credit")).toBe(true);
  });

  it("lets a debit return for funds and for want of authorization, not with codes of other senders", () => {
    for (const code of ["R01", "R02", "R03", "R07", "R08", "R09", "R10", "R11", "R29"]) {
      expect(isPossibleCode(code, "Ach", "Debit")).toBe(true);
    }
    // The operator's, the government's, dishonored, contested and international returns; credits' own; no code.
    for (const code of ["R13", "R40", "R61", "R71", "R80", "R23", "R48", "AC03"]) {
      expect(isPossibleCode(code, "Ach", "Debit")).toBe(false);
    }
  });

  it("begins to know a dated code on its date", () => {
    expect(isPossibleCode("R90", "Ach", "Credit")).toBe(false);
    expect(isPossibleCode("R90", "Ach", "Credit", "2028-03-16")).toBe(false);
    expect(isPossibleCode("R90", "Ach", "Credit", "2028-03-17")).toBe(true);
  });

  it("lets RTP reject and never return; other rails have no codes", () => {
    expect(codesFor("Rtp", "Credit", "fail")).toEqual(
      "AC03 AC04 AC06 AG01 AM09 AM14 BE06 MD07 RC04 DS24".split(" "),
    );
    expect(codesFor("Rtp", "Credit", "return")).toEqual([]);
    expect(codesFor("Ach", "Debit", "fail")).toEqual([]);
    for (const rail of ["Wire", "Book", "Usdc"] as const) {
      expect(codesFor(rail, "Credit", "return")).toEqual([]);
      expect(codesFor(rail, "Credit", "fail")).toEqual([]);
    }
    expect(rtpRejectCodes["AC04"]).toBe("The receiver's account is closed");
  });

  it("has no code for accepting or settling", () => {
    expect(codesFor("Ach", "Debit", "accept")).toEqual([]);
    expect(codesFor("Rtp", "Credit", "settle")).toEqual([]);
  });
});
