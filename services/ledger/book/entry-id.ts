import { hash } from "node:crypto";
import { idOf, type LedgerEntryId } from "../../../contracts/ids/ids.ts";

/**
 * The public id of an entry. It is computed from the entry's position instead of stored, which saves 16 bytes and an
 * index per row: a UUIDv7 of the record time, then the sequence (44 bits), the line (8 bits) and 22 bits of the book.
 * Ids therefore sort in the order in which entries were written.
 */
export function entryIdOf(bookUuid: string, recordedAt: Date, sequence: number, line: number): LedgerEntryId {
  const millis = BigInt(recordedAt.getTime());
  const book = BigInt(`0x${hash("sha256", bookUuid, "hex").slice(0, 6)}`) >> 2n;
  const tail = (BigInt(sequence) << 30n) | (BigInt(line) << 22n) | book;
  const high = tail >> 62n;
  const low = tail & 0x3fff_ffff_ffff_ffffn;
  const bits = (millis << 80n) | (0x7n << 76n) | (high << 64n) | (0b10n << 62n) | low;
  const hex = bits.toString(16).padStart(32, "0");
  return idOf(
    "le",
    [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-"),
  );
}
