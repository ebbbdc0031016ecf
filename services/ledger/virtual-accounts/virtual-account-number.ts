import { createHmac, createSecretKey, type KeyObject, randomInt } from "node:crypto";
import { Inject, Injectable } from "@nestjs/common";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import { checkDigitOf, virtualNumberDigits } from "../../../contracts/virtual-number.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { CONFIG, type LedgerConfig } from "../config.ts";

/** A number as it rests: sealed, and hashed under a key so that it can be looked up and not guessed from a table. */
export interface StoredNumber {
  readonly hash: Buffer;
  readonly keyId: string;
  readonly ciphertext: string;
}

/** Makes, seals and looks up the numbers of virtual accounts. Nothing else of the ledger sees one. */
@Injectable()
export class VirtualAccountNumbers {
  readonly #seals: AccountNumberCipher;
  readonly #lookupKey: KeyObject;

  constructor(
    @Inject(AccountNumberCipher) seals: AccountNumberCipher,
    @Inject(CONFIG) config: Pick<LedgerConfig, "NUMBER_LOOKUP_KEY">,
  ) {
    this.#seals = seals;
    this.#lookupKey = createSecretKey(config.NUMBER_LOOKUP_KEY, "base64");
  }

  /** A fresh one: 16 random digits, the first not 0 (spreadsheets drop it), and the check digit. */
  make(): StoredNumber {
    const rest = Array.from({ length: virtualNumberDigits - 2 }, () => randomInt(10)).join("");
    const digits = `${String(randomInt(1, 10))}${rest}`;
    const number = digits + checkDigitOf(digits);
    const { keyId, ciphertext } = this.#seals.encrypt(number);
    return { hash: this.hashOf(number), keyId, ciphertext };
  }

  /** HMAC-SHA256: what finds a number in whichever form it came. */
  hashOf(number: string): Buffer {
    return createHmac("sha256", this.#lookupKey).update(number).digest();
  }

  /** Throws where the key is not among ours. */
  hashOfEncrypted(sealed: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">): Buffer {
    return this.hashOf(this.#seals.decrypt(sealed));
  }

  /** The number in full, for its owner. */
  decrypt(resting: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">): string {
    return this.#seals.decrypt(resting);
  }
}
