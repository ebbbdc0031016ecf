import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals text (account numbers, signing secrets) with AES-256-GCM and opens it again. Only the sealed form travels
 * and rests; it names its key, so that keys rotate without a stop.
 */
export class AccountNumberCipher {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** The key that seals from now on. */
  readonly currentKeyId: string;

  /** `keys`: `keyId:base64 of 32 bytes`, comma-separated; the first seals. Throws when a key is malformed. */
  constructor(keys: string) {
    const pairs = keys.split(",").map((pair): [string, KeyObject] => {
      const [keyId = "", base64 = ""] = pair.split(":");
      const key = Buffer.from(base64, "base64");
      if (keyId === "" || key.length !== 32)
        throw new Error("ENCRYPTION_KEYS: each is keyId:base64 of 32 bytes");
      return [keyId, createSecretKey(key)];
    });
    this.#keys = new Map(pairs);
    this.currentKeyId = pairs[0]?.[0] ?? "";
  }

  encrypt(text: string): EncryptedAccountNumber {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key(this.currentKeyId), nonce);
    const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    // Four of four digits would be the whole number: short ones are masked in full.
    return {
      keyId: this.currentKeyId,
      ciphertext: sealed.toString("base64"),
      last4: text.length > 4 ? text.slice(-4) : "",
    };
  }

  /** The text again. Throws when the key is not among ours or the bytes were touched. */
  decrypt(sealed: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">): string {
    const bytes = Buffer.from(sealed.ciphertext, "base64");
    const decipher = createDecipheriv("aes-256-gcm", this.#key(sealed.keyId), bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes, // a shorter tag would be easier to guess
    });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
  }

  #key(keyId: string): KeyObject {
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new Error(`no key ${keyId} among ENCRYPTION_KEYS`);
    return key;
  }
}
