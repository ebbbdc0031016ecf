import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

const nonceBytes = 12;
const tagBytes = 16;

/** What is sent and stored of a secret: base64 of nonce, ciphertext and tag, the id of its key, and its last four. */
export interface EncryptedText {
  readonly keyId: string;
  readonly ciphertext: string;
  readonly last4: string;
}

/**
 * Encrypts account numbers and signing secrets with AES-256-GCM. Only ciphertext is sent and stored; it names its key,
 * so that keys can be rotated while the services run.
 */
export class SecretCipher {
  readonly #variable: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** Of each key, another one is derived, for hashes. */
  readonly #hashKeys: ReadonlyMap<string, KeyObject>;
  /** The key that encrypts. */
  readonly currentKeyId: string;

  /**
   * `keys`: `keyId:base64 of 32 bytes`, comma-separated; the first one encrypts. Throws if one is malformed, or if two
   * have the same id. Errors name the variable that they come from.
   */
  constructor(keys: string, variable = "ENCRYPTION_KEYS") {
    this.#variable = variable;
    const pairs = keys.split(",").map((pair): [string, KeyObject] => {
      const [keyId = "", base64 = ""] = pair.split(":");
      const key = Buffer.from(base64, "base64");
      if (keyId === "" || key.length !== 32)
        throw new Error(`${variable}: each must be keyId:key, the key 32 bytes in base64`);
      return [keyId, createSecretKey(key)];
    });
    rejectRepeatedId(
      pairs.map(([keyId]) => keyId),
      variable,
    );
    this.#keys = new Map(pairs);
    this.#hashKeys = new Map(
      pairs.map(([keyId, key]) => {
        const derived = hkdfSync("sha256", key, "", "look up by hash", 32);
        return [keyId, createSecretKey(Buffer.from(derived))];
      }),
    );
    this.currentKeyId = pairs[0]?.[0] ?? "";
  }

  encrypt(text: string): EncryptedText {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key(this.currentKeyId), nonce);
    const ciphertext = Buffer.concat([
      nonce,
      cipher.update(text, "utf8"),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    // The last four of four digits would be the whole number, so short numbers show nothing.
    return {
      keyId: this.currentKeyId,
      ciphertext: ciphertext.toString("base64"),
      last4: text.length > 4 ? text.slice(-4).replace(/^\p{Cs}/u, "") : "", // Postgres stores no half of a character
    };
  }

  /** Throws if the key is not configured or the ciphertext was changed. */
  decrypt(encrypted: Pick<EncryptedText, "keyId" | "ciphertext">): string {
    const bytes = Buffer.from(encrypted.ciphertext, "base64");
    const decipher = createDecipheriv(
      "aes-256-gcm",
      this.#key(encrypted.keyId),
      bytes.subarray(0, nonceBytes),
      {
        authTagLength: tagBytes, // a shorter tag would be easier to guess
      },
    );
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
  }

  /**
   * The HMACs of a text by key id, the current key's first: a text is found by its hash without being stored, and
   * nobody can guess it without a key.
   */
  hashes(text: string): ReadonlyMap<string, string> {
    return new Map(
      [...this.#hashKeys].map(([keyId, key]) => [
        keyId,
        createHmac("sha256", key).update(text).digest("hex"),
      ]),
    );
  }

  /** How many bytes the text has, without decrypting it. */
  lengthOf({ ciphertext }: Pick<EncryptedText, "ciphertext">): number {
    return Buffer.byteLength(ciphertext, "base64") - nonceBytes - tagBytes;
  }

  #key(keyId: string): KeyObject {
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new Error(`no key ${keyId} among ${this.#variable}`);
    return key;
  }
}

/** A stored number names only its key's id, so of two keys with one id, one could decrypt nothing. */
function rejectRepeatedId(ids: readonly string[], variable: string): void {
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated === undefined) return;
  throw new Error(`${variable}: two keys have the id ${repeated}; each needs its own`);
}
