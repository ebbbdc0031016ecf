import { describe, expect, it } from "vitest";
import { isSamePrincipal } from "./principals.ts";

describe("two principals are one person", () => {
  it.each([
    ["the same name", "alice", "alice"],
    ["another case", "alice", "ALICE"],
    ["a folding of one letter to two", "Strauß", "STRAUSS"],
    ["a Cyrillic letter", "alice", "\u0430lice"],
    ["a Cyrillic letter in another case", "alice", "\u0410LICE"],
    ["Cyrillic letters only", "cocoa", "\u0441\u043e\u0441\u043e\u0430"],
    ["a Greek letter", "bob", "b\u03bfb"],
    ["a capital I for an l", "alice", "aIice"],
    ["a one for an l", "alice", "a1ice"],
    ["a zero for an o", "bob", "b0b"],
    ["rn for m", "morgan", "rnorgan"],
    ["fullwidth letters", "alice", "\uff41\uff4c\uff49\uff43\uff45"],
    ["mathematical letters", "alice", "\u{1d41a}lice"],
    ["a dotless i", "alice", "al\u0131ce"],
    ["another hyphen", "ops-night", "ops\u2010night"],
    ["another composition", "ren\u00e9", "rene\u0301"],
  ])("with %s", (_what, one, other) => {
    expect(isSamePrincipal(one, other)).toBe(true);
    expect(isSamePrincipal(other, one)).toBe(true);
  });
});

describe("two principals are two people", () => {
  it.each([
    ["alice", "bob"],
    ["approver-1", "approver-2"],
    ["alice", "alice2"],
    ["rené", "rene"],
    ["maker", "checker"],
    ["иван", "ivan"],
  ])("called %s and %s", (one, other) => {
    expect(isSamePrincipal(one, other)).toBe(false);
  });
});
