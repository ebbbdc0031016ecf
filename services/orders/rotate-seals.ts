import type { Sql } from "../platform/persistence/sql.ts";
import type { Seals } from "../platform/process/seals.ts";
import { accountsOfCounterparties, drafts, type RestingPlace } from "./store/seals.ts";

type InTransaction = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

const batchRows = 500;

/**
 * Seals anew, with the first of the keys, every account number that may be sealed anew: those of counterparties and of
 * Drafts. Gives how many there were of each. Each batch commits by itself, so that it may be stopped and begun again;
 * services may run meanwhile, and what they are just changing is left for the next run. Throws when a row's key is not
 * among the keys; what was committed by then stays.
 */
export async function rotateSeals(
  inTransaction: InTransaction,
  seals: Seals,
  limit = batchRows,
): Promise<{ what: string; rows: number }[]> {
  const counts: { what: string; rows: number }[] = [];
  for (const place of [accountsOfCounterparties, drafts]) {
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
