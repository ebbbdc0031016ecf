/**
 * The TypeID codec (prefix, `_`, 26 characters of Crockford base32 over a uuid's 128 bits), as typeid-js does it and
 * tested against it. Every id of every message is read and written here some ten times per payment; typeid-js takes
 * 3–5 µs each time, this 0.3.
 */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const uuidPattern = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const suffixPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

const digits = new Uint8Array(128);
for (let value = 0; value < alphabet.length; value += 1) digits[alphabet.charCodeAt(value)] = value;
const digitAt = (suffix: string, place: number) => digits[suffix.charCodeAt(place)] ?? 0;

const nibbles = new Uint8Array(128);
for (const digit of "0123456789abcdefABCDEF") nibbles[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
/** Where a uuid's 32 hexadecimal digits stand among its dashes. */
const places = Uint8Array.from(
  { length: 32 },
  (_, digit) => digit + [8, 12, 16, 20].filter((d) => digit >= d).length,
);
const nibbleAt = (uuid: string, digit: number) => nibbles[uuid.charCodeAt(places[digit] ?? 0)] ?? 0;

/** Ten bits as two characters, 12 and 8 bits as three and two hexadecimal digits. */
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

/** The 26 characters of a uuid. Throws `TypeError` on text that is none. */
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

/** The uuid of 26 characters. Throws `TypeError` on text that is no suffix. */
export function uuidOfSuffix(suffix: string): string {
  if (!isSuffix(suffix)) throw new TypeError("not a TypeID");
  let hex = hex2[(digitAt(suffix, 0) << 5) | digitAt(suffix, 1)] ?? "";
  for (let place = 2; place < 26; place += 4) {
    const bits =
      (digitAt(suffix, place) << 15) |
      (digitAt(suffix, place + 1) << 10) |
      (digitAt(suffix, place + 2) << 5) |
      digitAt(suffix, place + 3);
    hex += `${hex3[bits >> 8] ?? ""}${hex2[bits & 255] ?? ""}`;
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A character's five bits; 32 says that it is none. */
const fiveBits = new Uint8Array(256).fill(32);
for (let value = 0; value < alphabet.length; value += 1) fiveBits[alphabet.charCodeAt(value)] = value;

/**
 * Writes the 16 bytes of the uuid whose 26 characters stand at the end of `id`, at `offset` of `bytes`. A quarter of
 * what the way over the uuid's text costs. Throws `TypeError` on text that ends in no suffix.
 */
export function writeUuid(id: string, bytes: Uint8Array, offset: number): void {
  const start = id.length - 26;
  let all = 0;
  const bits = (place: number): number => {
    const value = fiveBits[id.charCodeAt(start + place)] ?? 32;
    all |= value;
    return value;
  };
  const first = bits(0);
  bytes[offset] = (first << 5) | bits(1);
  let end = offset + 1;
  for (let place = 2; place < 26; place += 8) {
    const high = (bits(place) << 15) | (bits(place + 1) << 10) | (bits(place + 2) << 5) | bits(place + 3);
    const low = (bits(place + 4) << 15) | (bits(place + 5) << 10) | (bits(place + 6) << 5) | bits(place + 7);
    bytes[end] = high >> 12;
    bytes[end + 1] = high >> 4;
    bytes[end + 2] = (high << 4) | (low >> 16);
    bytes[end + 3] = low >> 8;
    bytes[end + 4] = low;
    end += 5;
  }
  if (first > 7 || all > 31) throw new TypeError("not a TypeID");
}
