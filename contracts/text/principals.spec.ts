import { describe, expect, it, vi } from "vitest";
import { isSamePrincipal } from "./principals.ts";

describe("two principals are one person", () => {
  it.each([
    ["the same name", "alice", "alice"],
    ["another case", "alice", "ALICE"],
    ["a folding of one letter to two", "Strauß", "STRAUSS"],
    ["a Cyrillic letter", "alice", "\u0430lice"],
    ["a Cyrillic letter in another case", "alice", "\u0410LICE"],
    ["a Greek capital whose small letter looks otherwise", "admin", "ADMI\u039d"],
    ["Greek capitals, an I among them", "admin", "ADM\u0399\u039d"],
    ["a Greek capital M", "maria", "\u039cARIA"],
    ["a Greek capital Y", "yulia", "\u03a5ULIA"],
    ["a Cyrillic capital whose small letter looks otherwise", "admin", "ADM\u04c0N"],
    ["Cyrillic letters only", "cocoa", "\u0441\u043e\u0441\u043e\u0430"],
    ["a Greek letter", "bob", "b\u03bfb"],
    ["a capital I for an l", "alice", "aIice"],
    ["a one for an l", "alice", "a1ice"],
    ["a zero for an o", "bob", "b0b"],
    ["rn for m", "morgan", "rnorgan"],
    ["fullwidth letters", "alice", "\uff41\uff4c\uff49\uff43\uff45"],
    ["mathematical letters", "alice", "\u{1d41a}lice"],
    ["a dotless i", "alice", "al\u0131ce"],
    ["a dotless i and a dot", "admin", "adm\u0131\u0307n"],
    ["a dot above an i", "admin", "admi\u0307n"],
    ["two dots above an i", "admin", "admi\u0307\u0307n"],
    ["a dot above a capital I", "admin", "ADM\u0130N"],
    ["a dot above a Cyrillic i", "admin", "adm\u0456\u0307n"],
    ["a dot of another script above an i", "admin", "admi\u0358n"],
    ["a dot above an i with a dot below", "adm\u1ecbn", "adm\u1ecb\u0307n"],
    ["a dotless j and a dot", "jane", "\u0237\u0307ane"],
    ["a small capital", "admin", "\u1d00dmin"],
    ["small capitals only", "admin", "\u1d00\u1d05\u1d0d\u026a\u0274"],
    ["every small capital", "abcdefghijklmnopqrstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ"],
    ["another hyphen", "ops-night", "ops\u2010night"],
    ["a full stop after it", "noor", "noor."],
    ["a full stop after a space", "noor", "noor ."],
    ["a full stop of another script", "noor", "noor\u06d4"],
    ["a letter that looks like a full stop", "noor", "noor\ua4f8"],
    ["an ellipsis", "noor", "noor\u2026"],
    ["a comma after a capital letter", "noor", "NOOR,"],
    ["quotation marks", "noor", "\u201cnoor\u201d"],
    ["a hyphen before it", "noor", "-noor"],
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
    ["\u010bara", "cara"],
    ["maker", "checker"],
    ["иван", "ivan"],
    ["ana.b", "anab"],
    ["ops-1", "ops-2"],
    ["***", "---"],
  ])("called %s and %s", (one, other) => {
    expect(isSamePrincipal(one, other)).toBe(false);
  });
});

it("computes what a name looks like once, however often it is compared", () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `customer-${String(index)}`);
  const compareAll = (name: string) => names.filter((each) => isSamePrincipal(each, name));
  expect(compareAll("somebody new")).toEqual([]);
  const normalize = vi.spyOn(String.prototype, "normalize");
  try {
    expect(compareAll("somebody else")).toEqual([]);
    expect(compareAll("CUST0MER-777")).toEqual(["customer-777"]);
    expect(normalize.mock.calls.length).toBeLessThan(20);
  } finally {
    normalize.mockRestore();
  }
});
