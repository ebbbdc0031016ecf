import { describe, expect, it } from "vitest";
import { Refusal } from "../../../../contracts/errors.ts";
import { parsePrincipal, rejectBadAddresses } from "./key-format.ts";

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

  it.each([
    "",
    " ",
    "\u2800",
    "rail\u{1D159}",
    "noor\u{16FE4}",
    "x".repeat(101),
    "Operator",
    "\u043Eperator",
    "rai1",
  ])("can't be %j", (text) => {
    expect(() => parsePrincipal(text)).toThrow(Refusal);
  });
});

describe("a principal that is far longer with its ligatures in full", () => {
  it("is refused: comparing it would take milliseconds", () => {
    expect(() => parsePrincipal("\ufdfa".repeat(17))).toThrow("Send a principal with fewer ligatures");
  });
});

describe("an allowlist", () => {
  it.each([
    "203.0.113.7",
    "203.0.113.0/24",
    "0.0.0.0/0",
    "2001:db8::1",
    "2001:db8::/32",
    "::ffff:203.0.113.7",
  ])("has %s", (block) => {
    expect(() => rejectBadAddresses(["192.0.2.1", block])).not.toThrow();
  });

  it.each([
    ["three numbers", "203.0.113"],
    ["an octal number", "010.0.0.1"],
    ["an octal number in a block", "010.0.0.0/8"],
    ["a hexadecimal number", "0x7f.1"],
    ["one number", "2130706433"],
    ["a number above 255", "300.1.1.1"],
    ["a prefix above 32", "203.0.113.0/33"],
    ["an address of one interface", "fe80::1%eth0"],
    ["a name", "localhost"],
  ])("can't have %s", (_what, block) => {
    expect(() => rejectBadAddresses(["192.0.2.1", block])).toThrow(`These are neither: ${block}.`);
  });
});
