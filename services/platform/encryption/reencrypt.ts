import type { Sql } from "../persistence/sql.ts";
import type { SecretCipher } from "./secret-cipher.ts";

/** A stored ciphertext and the primary key of its row. */
export interface StoredCiphertext {
  readonly key: readonly string[];
  readonly keyId: string;
  readonly ciphertext: string;
}

/** A column of ciphertexts that may be re-encrypted, walked in primary key order. */
export interface EncryptedColumn {
  readonly name: string;
  /** Locks up to `limit` rows encrypted with another key, after primary key `after`. Skips rows that are locked. */
  claim(sql: Sql, currentKeyId: string, after: readonly string[], limit: number): Promise<StoredCiphertext[]>;
  save(sql: Sql, ciphertexts: readonly StoredCiphertext[]): Promise<void>;
}

type InTransaction = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

const maxBatchRows = 500;

/**
 * Re-encrypts these columns with the cipher's current key, and returns how many rows of each it changed. Every batch
 * commits by itself, so the run can be stopped and repeated. Services keep working: rows that they are changing are
 * re-encrypted by the next run. Throws when a row's key is not among the cipher's keys; batches that are committed
 * stay.
 */
export async function reencrypt(
  columns: readonly EncryptedColumn[],
  inTransaction: InTransaction,
  cipher: SecretCipher,
  batchRows = maxBatchRows,
): Promise<{ what: string; rows: number }[]> {
  const counts: { what: string; rows: number }[] = [];
  for (const column of columns) {
    counts.push({ what: column.name, rows: await reencryptColumn(column, inTransaction, cipher, batchRows) });
  }
  return counts;
}

async function reencryptColumn(
  column: EncryptedColumn,
  inTransaction: InTransaction,
  cipher: SecretCipher,
  batchRows: number,
): Promise<number> {
  let rows = 0;
  for (let after: readonly string[] | undefined = []; after !== undefined; ) {
    const from: readonly string[] = after;
    after = await inTransaction(async (sql) => {
      const claimed = await column.claim(sql, cipher.currentKeyId, from, batchRows);
      const renewed = claimed.map((old) => {
        const { keyId, ciphertext } = cipher.encrypt(cipher.decrypt(old));
        return { key: old.key, keyId, ciphertext };
      });
      if (renewed.length > 0) await column.save(sql, renewed);
      rows += renewed.length;
      return claimed.at(-1)?.key;
    });
  }
  return rows;
}
