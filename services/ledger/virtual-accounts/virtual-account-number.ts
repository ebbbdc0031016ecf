import { createHmac, createSecretKey, type KeyObject, randomInt } from "node:crypto";
import { Inject, Injectable } from "@nestjs/common";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import { checkDigitOf, virtualNumberDigits } from "../../../contracts/virtual-number.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { CONFIG, type LedgerConfig } from "../config.ts";

/** A number as stored: encrypted, and as an HMAC to find it by. Without the HMAC's key nobody can guess the number. */
export interface StoredNumber {
  readonly hash: Buffer;
  readonly keyId: string;
  readonly ciphertext: string;
}

/** Creates, encrypts and decrypts the numbers of virtual accounts. */
@Injectable()
export class VirtualAccountNumbers {
  readonly #cipher: SecretCipher;
  readonly #lookupKey: KeyObject;

  constructor(
    @Inject(SecretCipher) cipher: SecretCipher,
    @Inject(CONFIG) config: Pick<LedgerConfig, "NUMBER_LOOKUP_KEY">,
  ) {
    this.#cipher = cipher;
    this.#lookupKey = createSecretKey(config.NUMBER_LOOKUP_KEY, "base64");
  }

  /** A new number: 16 random digits, the first not 0 (spreadsheets drop it), and the check digit. */
  make(): StoredNumber {
    const tail = Array.from({ length: virtualNumberDigits - 2 }, () => randomInt(10)).join("");
    const digits = `${String(randomInt(1, 10))}${tail}`;
    const number = digits + checkDigitOf(digits);
    const { keyId, ciphertext } = this.#cipher.encrypt(number);
    return { hash: this.hashOf(number), keyId, ciphertext };
  }

  /** The HMAC-SHA256 that a number is found by. */
  hashOf(number: string): Buffer {
    return createHmac("sha256", this.#lookupKey).update(number).digest();
  }

  /** Throws if the encryption key is unknown. */
  hashOfEncrypted(encrypted: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">): Buffer {
    return this.hashOf(this.#cipher.decrypt(encrypted));
  }

  /** The number in full, for its owner. */
  decrypt(encrypted: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">): string {
    return this.#cipher.decrypt(encrypted);
  }
}
