import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SecretCipher } from "./secret-cipher.ts";

const oldKey = `2025:${randomBytes(32).toString("base64")}`;
const newKey = `2026:${randomBytes(32).toString("base64")}`;

describe("an encrypted account number", () => {
  const cipher = new SecretCipher(newKey);

  it("decrypts to the original, and shows only its last four digits", () => {
    const encrypted = cipher.encrypt("123456789");
    expect(encrypted).toMatchObject({ keyId: "2026", last4: "6789" });
    expect(Buffer.from(encrypted.ciphertext, "base64").toString("latin1")).not.toContain("123456789");
    expect(cipher.decrypt(encrypted)).toBe("123456789");
  });

  it("shows nothing of a number with only four digits", () => {
    expect(cipher.encrypt("1234").last4).toBe("");
    expect(cipher.encrypt("12345").last4).toBe("2345");
  });

  it("shows no half of a character", () => {
    expect(cipher.encrypt("Truck \u{1f69a}abc").last4).toBe("abc");
    expect(cipher.encrypt("Truck \u{1f69a}ab").last4).toBe("\u{1f69a}ab");
  });

  it("preserves letters of every script", () => {
    expect(cipher.decrypt(cipher.encrypt("Zürich-東京"))).toBe("Zürich-東京");
  });

  it("has a different ciphertext each time, so that equal numbers can't be recognised", () => {
    expect(cipher.encrypt("123456789").ciphertext).not.toBe(cipher.encrypt("123456789").ciphertext);
  });

  it.each([0, 11, 12, 20, -1])("can't be decrypted after its byte %i was changed", (position) => {
    const encrypted = cipher.encrypt("123456789");
    const bytes = Buffer.from(encrypted.ciphertext, "base64");
    const index = position < 0 ? bytes.length + position : position;
    bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
    expect(() => cipher.decrypt({ ...encrypted, ciphertext: bytes.toString("base64") })).toThrow(
      /authenticate/,
    );
  });

  it("can't be decrypted when it was truncated", () => {
    const encrypted = cipher.encrypt("123456789");
    expect(() => cipher.decrypt({ ...encrypted, ciphertext: encrypted.ciphertext.slice(0, 16) })).toThrow();
    expect(() => cipher.decrypt({ ...encrypted, ciphertext: "" })).toThrow();
  });
});

describe("rotation", () => {
  it("encrypts with the first key and decrypts with all of them", () => {
    const encryptedBefore = new SecretCipher(oldKey).encrypt("123456789");
    const rotated = new SecretCipher(`${newKey},${oldKey}`);
    expect(rotated.decrypt(encryptedBefore)).toBe("123456789");
    expect(rotated.encrypt("123456789").keyId).toBe("2026");
  });

  it("names a key that is no longer configured", () => {
    const encryptedBefore = new SecretCipher(oldKey).encrypt("123456789");
    expect(() => new SecretCipher(newKey).decrypt(encryptedBefore)).toThrow(
      "no key 2025 among ENCRYPTION_KEYS",
    );
  });
});

it.each(["", "2026", "2026:", ":AAAA", `2026:${randomBytes(16).toString("base64")}`, `${newKey},`])(
  "refuses malformed keys (%#) without showing them",
  (keys) => {
    expect(() => new SecretCipher(keys)).toThrow(
      "ENCRYPTION_KEYS: each must be keyId:key, the key 32 bytes in base64",
    );
  },
);

it("refuses two keys with one id: what one of them has encrypted could not be decrypted", () => {
  const another = `2026:${randomBytes(32).toString("base64")}`;
  expect(() => new SecretCipher(`${newKey},${oldKey},${another}`, "SIGNING_SECRET_KEYS")).toThrow(
    "SIGNING_SECRET_KEYS: two keys have the id 2026; each needs its own",
  );
});
