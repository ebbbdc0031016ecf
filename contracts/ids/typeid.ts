/**
 * The TypeID codec: prefix, `_`, and 26 characters of Crockford base32 over the 128 bits of a uuid. Tests compare it
 * with typeid-js. One payment converts each of its ids about ten times: typeid-js takes 3–5 µs per conversion, this
 * codec 0.3 (ADR 5).
 */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const uuidPattern = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const suffixPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

const digits = new Uint8Array(128);
for (let value = 0; value < alphabet.length; value += 1) digits[alphabet.charCodeAt(value)] = value;
const digitAt = (suffix: string, index: number) => digits[suffix.charCodeAt(index)] ?? 0;

const nibbles = new Uint8Array(128);
for (const digit of "0123456789abcdefABCDEF") nibbles[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
/** The positions of a uuid's 32 hexadecimal digits, between its dashes. */
const positions = Uint8Array.from(
  { length: 32 },
  (_, digit) => digit + [8, 12, 16, 20].filter((d) => digit >= d).length,
);
const nibbleAt = (uuid: string, digit: number) => nibbles[uuid.charCodeAt(positions[digit] ?? 0)] ?? 0;

/** Lookup tables: ten bits as two characters, 12 and 8 bits as three and two hexadecimal digits. */
const pairs = Array.from(
  { length: 1024 },
  (_, bits) => alphabet.charAt(bits >> 5) + alphabet.charAt(bits & 31),
);
const hex3 = Array.from({ length: 4096 }, (_, bits) => bits.toString(16).padStart(3, "0"));
const hex2 = hex3.slice(0, 256).map((text) => text.slice(1));

/** True for 26 characters that decode to 128 bits. */
export function isSuffix(text: string): boolean {
  return suffixPattern.test(text);
}

// 2 hexadecimal digits and 2 characters are the first 8 bits; 5 digits and 4 characters are the next 20, six times.

/** The 26 characters of a uuid. Throws `TypeError` when the text is not a uuid. */
export function suffixOf(uuid: string): string {
  if (!uuidPattern.test(uuid)) throw new TypeError("not a uuid");
  let suffix = pairs[(nibbleAt(uuid, 0) << 4) | nibbleAt(uuid, 1)] ?? "";
  for (let digit = 2; digit < 32; digit += 5) {
    const bits =
      (nibbleAt(uuid, digit) << 16) |
      (nibbleAt(uuid, digit + 1) << 12) |
      (nibbleAt(uuid, digit + 2) << 8) |
      (nibbleAt(uuid, digit + 3) << 4) |
      nibbleAt(uuid, digit + 4);
    suffix += `${pairs[bits >> 10] ?? ""}${pairs[bits & 1023] ?? ""}`;
  }
  return suffix;
}

/** The uuid of 26 characters. Throws `TypeError` when the text is not a TypeID suffix. */
export function uuidOfSuffix(suffix: string): string {
  if (!isSuffix(suffix)) throw new TypeError("not a TypeID");
  let hex = hex2[(digitAt(suffix, 0) << 5) | digitAt(suffix, 1)] ?? "";
  for (let index = 2; index < 26; index += 4) {
    const bits =
      (digitAt(suffix, index) << 15) |
      (digitAt(suffix, index + 1) << 10) |
      (digitAt(suffix, index + 2) << 5) |
      digitAt(suffix, index + 3);
    hex += `${hex3[bits >> 8] ?? ""}${hex2[bits & 255] ?? ""}`;
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The five bits of each character; 32 marks a character outside the alphabet. */
const fiveBits = new Uint8Array(256).fill(32);
for (let value = 0; value < alphabet.length; value += 1) fiveBits[alphabet.charCodeAt(value)] = value;

/**
 * Writes the 16 bytes of an id's uuid into `bytes` at `offset`. It costs a quarter of a conversion through the uuid's
 * text. Throws `TypeError` when `id` does not end in a TypeID suffix.
 */
export function writeUuid(id: string, bytes: Uint8Array, offset: number): void {
  const start = id.length - 26;
  let all = 0;
  const bits = (index: number): number => {
    const value = fiveBits[id.charCodeAt(start + index)] ?? 32;
    all |= value;
    return value;
  };
  const first = bits(0);
  bytes[offset] = (first << 5) | bits(1);
  let end = offset + 1;
  for (let index = 2; index < 26; index += 8) {
    const high = (bits(index) << 15) | (bits(index + 1) << 10) | (bits(index + 2) << 5) | bits(index + 3);
    const low = (bits(index + 4) << 15) | (bits(index + 5) << 10) | (bits(index + 6) << 5) | bits(index + 7);
    bytes[end] = high >> 12;
    bytes[end + 1] = high >> 4;
    bytes[end + 2] = (high << 4) | (low >> 16);
    bytes[end + 3] = low >> 8;
    bytes[end + 4] = low;
    end += 5;
  }
  if (first > 7 || all > 31) throw new TypeError("not a TypeID");
}
