import type { Sql } from "../persistence/sql.ts";
import type { AccountNumberCipher } from "./account-number-cipher.ts";

/** A sealed text and where it rests: `place` leads with the book. */
export interface StoredCiphertext {
  readonly key: readonly string[];
  readonly keyId: string;
  readonly ciphertext: string;
}

/** Where sealed texts rest that may be sealed anew, walked in the order of their key. */
export interface EncryptedColumn {
  readonly name: string;
  /** Up to `limit` of them behind `after` that another key seals, locked. What somebody is just changing is left out. */
  claim(sql: Sql, currentKeyId: string, after: readonly string[], limit: number): Promise<StoredCiphertext[]>;
  save(sql: Sql, seals: readonly StoredCiphertext[]): Promise<void>;
}

type InTransaction = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

const batchRows = 500;

/**
 * Seals anew, with the first of the keys, what rests in these places. Gives how many there were in each. Each batch
 * commits by itself, so that it may be stopped and begun again; services may run meanwhile, and what they are just
 * changing is left for the next run. Throws when a row's key is not among the keys; what was committed by then stays.
 */
export async function reencrypt(
  places: readonly EncryptedColumn[],
  inTransaction: InTransaction,
  seals: AccountNumberCipher,
  limit = batchRows,
): Promise<{ what: string; rows: number }[]> {
  const counts: { what: string; rows: number }[] = [];
  for (const place of places) {
    counts.push({ what: place.name, rows: await reencryptColumn(place, inTransaction, seals, limit) });
  }
  return counts;
}

async function reencryptColumn(
  place: EncryptedColumn,
  inTransaction: InTransaction,
  seals: AccountNumberCipher,
  limit: number,
): Promise<number> {
  let rows = 0;
  for (let after: readonly string[] | undefined = []; after !== undefined; ) {
    const from: readonly string[] = after;
    const last = await inTransaction(async (sql) => {
      const taken = await place.claim(sql, seals.currentKeyId, from, limit);
      const sealed = taken.map((seal) => ({ ...seal, ...reencrypted(seal, seals) }));
      if (sealed.length > 0) await place.save(sql, sealed);
      rows += sealed.length;
      return taken.at(-1)?.key;
    });
    after = last;
  }
  return rows;
}

function reencrypted(seal: { keyId: string; ciphertext: string }, seals: AccountNumberCipher) {
  const { keyId, ciphertext } = seals.encrypt(seals.decrypt(seal));
  return { keyId, ciphertext };
}
