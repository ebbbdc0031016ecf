import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { AccountNumberCipher } from "./account-number-cipher.ts";

const oldKey = `2025:${randomBytes(32).toString("base64")}`;
const newKey = `2026:${randomBytes(32).toString("base64")}`;

describe("a sealed account number", () => {
  const seals = new AccountNumberCipher(newKey);

  it("opens to what was sealed, and shows no more than its last four", () => {
    const sealed = seals.encrypt("123456789");
    expect(sealed).toMatchObject({ keyId: "2026", last4: "6789" });
    expect(Buffer.from(sealed.ciphertext, "base64").toString("latin1")).not.toContain("123456789");
    expect(seals.decrypt(sealed)).toBe("123456789");
  });

  it("shows nothing of a number that has only four", () => {
    expect(seals.encrypt("1234").last4).toBe("");
    expect(seals.encrypt("12345").last4).toBe("2345");
  });

  it("keeps letters of every script", () => {
    expect(seals.decrypt(seals.encrypt("Zürich-東京"))).toBe("Zürich-東京");
  });

  it("never looks the same twice, so that equal numbers can't be told apart", () => {
    expect(seals.encrypt("123456789").ciphertext).not.toBe(seals.encrypt("123456789").ciphertext);
  });

  it.each([0, 11, 12, 20, -1])("does not open once its byte %i was touched", (position) => {
    const sealed = seals.encrypt("123456789");
    const bytes = Buffer.from(sealed.ciphertext, "base64");
    const index = position < 0 ? bytes.length + position : position;
    bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
    expect(() => seals.decrypt({ ...sealed, ciphertext: bytes.toString("base64") })).toThrow(/authenticate/);
  });

  it("does not open when it was cut short", () => {
    const sealed = seals.encrypt("123456789");
    expect(() => seals.decrypt({ ...sealed, ciphertext: sealed.ciphertext.slice(0, 16) })).toThrow();
    expect(() => seals.decrypt({ ...sealed, ciphertext: "" })).toThrow();
  });
});

describe("rotation", () => {
  it("seals with the first key and opens with all of them", () => {
    const sealedBefore = new AccountNumberCipher(oldKey).encrypt("123456789");
    const rotated = new AccountNumberCipher(`${newKey},${oldKey}`);
    expect(rotated.decrypt(sealedBefore)).toBe("123456789");
    expect(rotated.encrypt("123456789").keyId).toBe("2026");
  });

  it("names the key that is no longer there", () => {
    const sealedBefore = new AccountNumberCipher(oldKey).encrypt("123456789");
    expect(() => new AccountNumberCipher(newKey).decrypt(sealedBefore)).toThrow(
      "no key 2025 among ENCRYPTION_KEYS",
    );
  });
});

it.each(["", "2026", "2026:", ":AAAA", `2026:${randomBytes(16).toString("base64")}`, `${newKey},`])(
  "refuses malformed keys (%#) without showing them",
  (keys) => {
    expect(() => new AccountNumberCipher(keys)).toThrow("ENCRYPTION_KEYS: each is keyId:base64 of 32 bytes");
  },
);
