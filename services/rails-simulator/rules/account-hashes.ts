import type { EncryptedText, SecretCipher } from "../../platform/encryption/secret-cipher.ts";

type Encrypted = Pick<EncryptedText, "keyId" | "ciphertext">;

/** The hash by which a rule finds an account number, and the id of the key that made it. */
export function hashedNumber(cipher: SecretCipher, number: Encrypted): { keyId: string; hash: string } {
  const keyId = cipher.currentKeyId;
  return { keyId, hash: cipher.hashes(compared(cipher.decrypt(number))).get(keyId) ?? "" };
}

/** The hashes by which rules may find an account number: one for each key, so that keys can be rotated. */
export function hashesOfNumber(cipher: SecretCipher, number: Encrypted): string[] {
  return [...cipher.hashes(compared(cipher.decrypt(number))).values()];
}

/** An EVM address is the same in capitals and small letters. */
function compared(number: string): string {
  return number.startsWith("0x") ? number.toLowerCase() : number;
}
