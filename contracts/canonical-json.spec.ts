import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

/** The same text in the fewest words. */
function slowly(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(slowly).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${slowly(member)}`).join(",")}}`;
}

const names = fc.oneof(
  fc.constantFrom("10", "2", "1", "", "__proto__", 'a"b', "é", "\u{1F600}", "\uD800", "a", "B"),
  fc.string({ unit: "binary" }),
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, undefined, true, false, -0, Number.NaN, Infinity, 1e21, 1e-7),
    fc.double(),
    fc.integer(),
    fc.string({ unit: "binary" }),
    fc.array(tie("value")),
    fc.dictionary(names, tie("value")),
  ),
}));

describe("canonical JSON", () => {
  it("sorts names as text, also those that look like integers", () => {
    const value = { b: 1, "10": [{ d: undefined, c: null }], "2": "\u2028é\n", B: [undefined, [], {}] };
    expect(canonicalJson(value)).toBe('{"10":[{"c":null,"d":null}],"2":"\u2028é\\n","B":[null,[],{}],"b":1}');
  });

  it("is the same text each time for a name that is too long to be remembered", () => {
    const name = "n".repeat(1_000);
    const text = `{"${name}":1,"${name}o":2}`;
    expect([1, 2].map(() => canonicalJson({ [`${name}o`]: 2, [name]: 1 }))).toEqual([text, text]);
  });

  it("is the same text however it is written", () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(canonicalJson(value)).toBe(slowly(value));
      }),
    );
  });

  it("is the same after thousands of other names", () => {
    const many = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`n"${String(index)}`, index]),
    );
    expect(canonicalJson(many)).toBe(slowly(many));
    expect(canonicalJson({ 'n"2': 1, 'n"1': 2 })).toBe('{"n\\"1":2,"n\\"2":1}');
  });
});
