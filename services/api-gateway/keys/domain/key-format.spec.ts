import { describe, expect, it } from "vitest";
import { Refusal } from "../../../../contracts/errors.ts";
import { parsePrincipal } from "./key-format.ts";

describe("a principal's name", () => {
  it.each([
    ["maker", "maker"],
    [" maker ", "maker"],
    ["Ana \u00a0 Lima", "Ana Lima"],
    ["Ana\u3000Lima", "Ana Lima"],
    ["Ame\u0301lie", "Am\u00e9lie"],
    ["経理", "経理"],
  ])("%j is kept as %j", (text, name) => {
    expect(parsePrincipal(text)).toBe(name);
  });

  // Each looks like "bob" but is a different text, and would count as a second approver.
  it.each([
    "bob\u034f",
    "bob\u115f",
    "bob\u3164",
    "bob\uffa0",
    "bob\ufe0f",
    "b\u00adob",
    "bob\u200b",
    "bob\u2028bob",
    "bob\ue000",
    "bob\u0378",
    "bob\ud800",
    "bob\u2800",
    "bob\u{e0100}",
  ])("%j has what can't be seen", (text) => {
    expect(() => parsePrincipal(text)).toThrow(Refusal);
  });

  it.each(["", " ", "\u2800", "x".repeat(101), "Operator"])("can't be %j", (text) => {
    expect(() => parsePrincipal(text)).toThrow(Refusal);
  });
});
