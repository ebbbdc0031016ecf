import { describe, expect, it } from "vitest";
import { hashOf, isWellFormedKey, mintKey, partsShownOf } from "./api-key.ts";

const known = "qt_test_0000000000000000000000000000000000000000000";

describe("an API key", () => {
  it("names its mode and always has the same length", () => {
    expect(mintKey("Test")).toMatch(/^qt_test_[0-9A-Za-z]{49}$/);
    expect(mintKey("Live")).toMatch(/^qt_live_[0-9A-Za-z]{49}$/);
  });

  it("is different each time", () => {
    expect(new Set(Array.from({ length: 100 }, () => mintKey("Test"))).size).toBe(100);
  });

  it("ends with a CRC32 of the text before it", () => {
    // crc32("qt_test_" and 43 zeros) is 4198751844, in base62 4a9X9w.
    expect(isWellFormedKey(`${known}4a9X9w`)).toBe(true);
    expect(isWellFormedKey(`${known}4a9X9x`)).toBe(false);
  });

  it("is distinguished from a mistyped one", () => {
    const key = mintKey("Test");
    const other = key.charAt(20) === "a" ? "b" : "a";
    expect(isWellFormedKey(key)).toBe(true);
    expect(isWellFormedKey(key.slice(0, 20) + other + key.slice(21))).toBe(false);
    expect(isWellFormedKey(key.replace("qt_test_", "qt_live_"))).toBe(false);
    expect(isWellFormedKey(`${key} `)).toBe(false);
    expect(isWellFormedKey("")).toBe(false);
  });

  it("is stored as its SHA-256, with the parts that a list shows", () => {
    expect(hashOf("qt_test_x").toString("hex")).toBe(
      "9ab863f0bf90e00eaecab5f3be075d9ac5da53f0990fee07b8949c6676b95631",
    );
    expect(partsShownOf(`${known}4a9X9w`)).toEqual({ prefix: "qt_test_", last4: "9X9w" });
  });
});
