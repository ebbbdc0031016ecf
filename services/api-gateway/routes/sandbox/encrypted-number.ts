import type { EncryptedAccountNumber } from "../../../../contracts/rails/rails.ts";
import type { SecretCipher } from "../../../platform/encryption/secret-cipher.ts";

/** An account number leaves the gateway encrypted only. */
export function withEncryptedNumber<Members extends { accountNumber?: string | undefined }>(
  cipher: SecretCipher,
  { accountNumber, ...others }: Members,
) {
  const encrypted: { accountNumber?: EncryptedAccountNumber } =
    accountNumber === undefined ? {} : { accountNumber: cipher.encrypt(accountNumber) };
  return { ...others, ...encrypted };
}
