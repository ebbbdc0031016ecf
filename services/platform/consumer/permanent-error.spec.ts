import { describe, expect, it } from "vitest";
import { isInfrastructureFault } from "../persistence/infrastructure-fault.ts";
import { isPermanent } from "./permanent-error.ts";

const withCode = (code: string) => Object.assign(new Error("failed"), { code });

describe("a permanent error", () => {
  it.each([
    ["22001", "text that is too long"],
    ["22003", "a number out of range"],
    ["22007", "a date that can't be read"],
    ["22008", "a date out of range"],
    ["22021", "a character that the encoding lacks"],
    ["22P05", "a character that can't be converted"],
  ])("is %s (%s), and no infrastructure fault", (code) => {
    expect(isPermanent(withCode(code))).toBe(true);
    expect(isInfrastructureFault(withCode(code))).toBe(false);
  });

  it("is an error that its handler marked as permanent", () => {
    expect(isPermanent(Object.assign(new Error("its sender's mistake"), { permanent: true }))).toBe(true);
  });

  it.each([
    ["23514", "a check that failed"],
    ["22P02", "text that a statement casts to the wrong type"],
    ["42P01", "a table that is not there"],
    ["57P01", "an administrator's shutdown"],
  ])("is not %s: %s", (code) => {
    expect(isPermanent(withCode(code))).toBe(false);
  });

  it("is not a thrown value that is no error", () => {
    expect(isPermanent({ permanent: true })).toBe(false);
  });
});
