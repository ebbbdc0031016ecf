import { type Id, type IdPrefix, uuidOf } from "../../../contracts/ids.ts";

/**
 * One column of a set-based insert as a Postgres array literal. For values that need no quoting only (ids, numbers,
 * enum names, timestamps, hexadecimal): the driver's own arrays quote each element, which costs a fifth of a batch.
 */
export function column(values: readonly (string | number | bigint | null)[]): string {
  let text = "";
  for (const value of values) text += `,${value ?? "NULL"}`;
  return `{${text.slice(1)}}`;
}

/** Stored forms of ids that come again and again in a batch (books, accounts): each is decoded once. */
export class Uuids {
  readonly #known = new Map<string, string>();

  of(id: Id<IdPrefix>): string {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const uuid = uuidOf(id);
    this.#known.set(id, uuid);
    return uuid;
  }
}
