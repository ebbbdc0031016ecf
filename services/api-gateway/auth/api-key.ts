import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Mode } from "../../../contracts/ids/ids.ts";

const prefixes = { Test: "qt_test_", Live: "qt_live_" } as const satisfies Record<Mode, string>;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretBytes = 32;
/** 62^43 > 2^256 and 62^6 > 2^32: padded to these, every key has one length. */
const secretDigits = 43;
const checksumDigits = 6;

const shape = /^(qt_(?:test|live)_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), checksumDigits);
}

/**
 * Generates a secret key: `qt_test_` or `qt_live_`, 32 random bytes in base62, and a CRC32 of the text before it, so
 * that a secret scanner can tell a leaked key from similar text. It is shown once; only its hash is stored.
 */
export function mintKey(mode: Mode): string {
  const secret = BigInt(`0x${randomBytes(secretBytes).toString("hex")}`);
  const text = prefixes[mode] + base62(secret, secretDigits);
  return text + checksumOf(text);
}

/** True for text in the format of a key with the right checksum, whether such a key exists or not. */
export function isWellFormedKey(text: string): boolean {
  const [, signed, checksum] = shape.exec(text) ?? [];
  return signed !== undefined && checksumOf(signed) === checksum;
}

/** SHA-256 is enough: a secret of 256 random bits can't be guessed, so the hash needs no slowing down. */
export function hashOf(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** What a list shows of a key: its prefix and its last four characters. */
export function partsShownOf(key: string): { prefix: string; last4: string } {
  return { prefix: key.slice(0, prefixes.Test.length), last4: key.slice(-4) };
}
