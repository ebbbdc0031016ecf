import { describe, expect, it } from "vitest";
import { comparedName, lineText, linesText, nameText, normalizedName, spellingsOf } from "./text.ts";

describe("a name", () => {
  it.each([
    ["is trimmed", "  Payroll \t\n", "Payroll"],
    ["has single plain spaces", "Blue \u00a0\u3000 Freight", "Blue Freight"],
    ["is composed (NFC)", "Cafe\u0301", "Caf\u00e9"],
    ["keeps its case, and characters of every script", "ДОМ 東京 Ⅸ ﬁ", "ДОМ 東京 Ⅸ ﬁ"],
  ])("%s", (_what, sent, stored) => {
    expect(nameText(100).parse(sent)).toBe(stored);
    expect(normalizedName(stored)).toBe(stored);
  });

  it.each([
    ["a control character", "Pay\u0007roll", "U+0007"],
    ["a line break", "Pay\nroll", "U+000A"],
    ["a zero-width space", "Pay\u200broll", "U+200B"],
    ["a zero-width joiner", "Pay\u200droll", "U+200D"],
    ["a soft hyphen", "Pay\u00adroll", "U+00AD"],
    ["a mark that turns the direction", "Pay\u202eroll", "U+202E"],
    ["a variation selector", "Pay\ufe0froll", "U+FE0F"],
    ["a filler", "Pay\u3164roll", "U+3164"],
    ["the Braille blank", "Pay\u2800roll", "U+2800"],
    ["a tag", "Pay\u{e0041}roll", "U+E0041"],
    ["an unassigned character", "Pay\u0378roll", "U+0378"],
    ["half a character", "Pay\ud800roll", "U+D800"],
  ])("with %s is refused, and the character is named", (_what, sent, codePoint) => {
    const { error } = nameText(100).safeParse(sent);
    expect(error?.issues.map(({ message }) => message)).toEqual([`can't contain ${codePoint}`]);
  });

  it("is measured as it is stored", () => {
    expect(nameText(4).parse("  abcd  ")).toBe("abcd");
    expect(nameText(4).safeParse("abcde").success).toBe(false);
    expect(nameText(4).safeParse(" \u00a0 ").success).toBe(false);
  });

  it("is looked up as it was sent, then normalised", () => {
    expect(spellingsOf(" Pay  roll")).toEqual([" Pay  roll", "Pay roll"]);
    expect(spellingsOf("Payroll")).toEqual(["Payroll"]);
  });
});

describe("a name that is compared with others", () => {
  it.each([
    ["of Hangul, each syllable of three letters", "\uac01".repeat(100)],
    ["of letters with two accents", "\u1ebf".repeat(100)],
    ["with a ligature", "O\ufb03ce"],
  ])("%s is taken at its full length", (_what, name) => {
    expect(comparedName(100).parse(name)).toBe(name);
  });

  it("is refused if it is far longer with its ligatures in full", () => {
    const { error } = comparedName(100).safeParse("\ufdfa".repeat(17));
    expect(error?.issues.map(({ message }) => message)).toEqual([
      "must have at most 300 characters with ligatures written in full",
    ]);
  });

  it("is refused once if it is too long as it was sent", () => {
    const { error } = comparedName(100).safeParse("\ufdfa".repeat(101));
    expect(error?.issues.map(({ code }) => code)).toEqual(["too_big"]);
  });
});

describe("a text that is not a name", () => {
  it("is stored as it was sent", () => {
    const sent = " Invoice  7 — Cafe\u0301 🚒 ";
    expect(lineText(100).parse(sent)).toBe(sent);
    expect(linesText(100).parse(`${sent}\r\n\t${sent}`)).toBe(`${sent}\r\n\t${sent}`);
  });

  it.each([
    ["an escape", "a\u001b[2Jb", "U+001B"],
    ["a mark that turns the direction", "a\u202eb", "U+202E"],
    ["one that isolates a direction", "a\u2066b", "U+2066"],
    ["a zero-width space", "a\u200bb", "U+200B"],
    ["a line separator", "a\u2028b", "U+2028"],
    ["an unassigned character", "a\u0378b", "U+0378"],
  ])("of one line, or of several, can't contain %s", (_what, sent, codePoint) => {
    for (const text of [lineText(100), linesText(100)]) {
      const { error } = text.safeParse(sent);
      expect(error?.issues.map(({ message }) => message)).toEqual([`can't contain ${codePoint}`]);
    }
  });

  it.each(["a\nb", "a\tb"])("on one line has no %j", (sent) => {
    expect(lineText(100).safeParse(sent).success).toBe(false);
  });
});
