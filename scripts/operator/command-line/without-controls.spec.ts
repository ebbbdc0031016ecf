import { describe, expect, it } from "vitest";
import { jsonWithoutControls, withoutControls } from "./without-controls.ts";

const clearScreen = "\u001b[2J";
const rightToLeft = "\u202e";

describe("text of others on an operator's terminal", () => {
  it.each([
    ["colours and cursor movements", `red${clearScreen}`, String.raw`red\u{1b}[2J`],
    ["a line of its own", "ok\n7  dropped", String.raw`ok\u{a}7  dropped`],
    ["a carriage return", "12\r13", String.raw`12\u{d}13`],
    ["C1 controls", "a\u009bb", String.raw`a\u{9b}b`],
    ["reversed text", `a${rightToLeft}b`, String.raw`a\u{202e}b`],
    ["a line separator", "a\u2028b", String.raw`a\u{2028}b`],
    ["half a character", "a\ud800b", String.raw`a\u{d800}b`],
  ])("can't have %s", (_what, text, shown) => {
    expect(withoutControls(text)).toBe(shown);
  });

  it("stays as it is otherwise", () => {
    expect(withoutControls("Zoë pays €5 → 安 😀")).toBe("Zoë pays €5 → 安 😀");
  });

  it("keeps its meaning as JSON", () => {
    const record = { reason: `${clearScreen}${rightToLeft}\u009b\u2028\u{e0001}` };
    const line = jsonWithoutControls(record);
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(line)).toEqual(record);
  });
});
