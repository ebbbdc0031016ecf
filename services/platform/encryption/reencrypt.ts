import type { Sql } from "../persistence/sql.ts";
import type { Seals } from "./account-number-cipher.ts";

/** A sealed text and where it rests: `place` leads with the book. */
export interface RestingSeal {
  readonly place: readonly string[];
  readonly keyId: string;
  readonly ciphertext: string;
}

/** Where sealed texts rest that may be sealed anew, walked in the order of their key. */
export interface RestingPlace {
  readonly name: string;
  /** Up to `limit` of them behind `after` that another key seals, locked. What somebody is just changing is left out. */
  take(sql: Sql, currentKeyId: string, after: readonly string[], limit: number): Promise<RestingSeal[]>;
  put(sql: Sql, seals: readonly RestingSeal[]): Promise<void>;
}

type InTransaction = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

const batchRows = 500;

/**
 * Seals anew, with the first of the keys, what rests in these places. Gives how many there were in each. Each batch
 * commits by itself, so that it may be stopped and begun again; services may run meanwhile, and what they are just
 * changing is left for the next run. Throws when a row's key is not among the keys; what was committed by then stays.
 */
export async function rotateSeals(
  places: readonly RestingPlace[],
  inTransaction: InTransaction,
  seals: Seals,
  limit = batchRows,
): Promise<{ what: string; rows: number }[]> {
  const counts: { what: string; rows: number }[] = [];
  for (const place of places) {
    counts.push({ what: place.name, rows: await rotateIn(place, inTransaction, seals, limit) });
  }
  return counts;
}

async function rotateIn(
  place: RestingPlace,
  inTransaction: InTransaction,
  seals: Seals,
  limit: number,
): Promise<number> {
  let rows = 0;
  for (let after: readonly string[] | undefined = []; after !== undefined; ) {
    const from: readonly string[] = after;
    const last = await inTransaction(async (sql) => {
      const taken = await place.take(sql, seals.currentKeyId, from, limit);
      const sealed = taken.map((seal) => ({ ...seal, ...resealed(seal, seals) }));
      if (sealed.length > 0) await place.put(sql, sealed);
      rows += sealed.length;
      return taken.at(-1)?.place;
    });
    after = last;
  }
  return rows;
}

function resealed(seal: { keyId: string; ciphertext: string }, seals: Seals) {
  const { keyId, ciphertext } = seals.seal(seals.open(seal));
  return { keyId, ciphertext };
}
