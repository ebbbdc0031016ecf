import { writeUuid } from "../../../contracts/ids/typeid.ts";

const uuidOid = 2950;
const headerBytes = 20;

const nibbles = new Uint8Array(128);
for (const digit of "0123456789abcdefABCDEF") nibbles[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
const nibbleAt = (text: string, index: number) => nibbles[text.charCodeAt(index)] ?? 0;
/** The indexes of a uuid's 16 pairs of hexadecimal digits in its text with dashes. */
const digitIndexes = Uint8Array.from(
  { length: 16 },
  (_, byte) => byte * 2 + [4, 6, 8, 10].filter((b) => byte >= b).length,
);

/**
 * Encodes well-formed uuids as a `uuid[]` parameter in Postgres' binary format, which the driver sends as it is.
 * Postgres takes 0.5 µs to parse a uuid from text and 0.07 µs in this format; a transfer in the ledger needs eighteen.
 * Null is allowed. Throws `TypeError` for text that does not have a uuid's length.
 */
export function uuidArray(uuids: readonly (string | null)[]): Buffer {
  return arrayOf(uuids, (uuid, buffer, offset) => {
    if (uuid.length !== 36) throw new TypeError("not a uuid");
    for (let byte = 0; byte < 16; byte += 1) {
      const index = digitIndexes[byte] ?? 0;
      buffer[offset + byte] = (nibbleAt(uuid, index) << 4) | nibbleAt(uuid, index + 1);
    }
  });
}

/** The same for public ids, decoded directly from their text. Throws `TypeError` for other text. */
export function idArray(ids: readonly (string | null)[]): Buffer {
  return arrayOf(ids, writeUuid);
}

function arrayOf(
  texts: readonly (string | null)[],
  write: (text: string, buffer: Buffer, offset: number) => void,
): Buffer {
  // Unsafe is safe here: only the bytes that are written are sent.
  const buffer = Buffer.allocUnsafe(headerBytes + texts.length * 20);
  buffer.writeInt32BE(texts.length === 0 ? 0 : 1, 0); // dimensions
  buffer.writeInt32BE(texts.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(uuidOid, 8);
  if (texts.length === 0) return buffer.subarray(0, 12);
  buffer.writeInt32BE(texts.length, 12);
  buffer.writeInt32BE(1, 16); // the first index
  let end = headerBytes;
  let last: string | null = null;
  for (const text of texts) {
    end = buffer.writeInt32BE(text === null ? -1 : 16, end);
    if (text === null) {
      last = null;
      continue;
    }
    // Most batches belong to one book: its id repeats.
    if (text === last) buffer.copyWithin(end, end - 20, end - 4);
    else write(text, buffer, end);
    end += 16;
    last = text;
  }
  return buffer.subarray(0, end);
}
