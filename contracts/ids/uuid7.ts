import { randomUUID } from "node:crypto";

let time = 0;
let timeDigits = "";
/** 26 bits that start at random in the lower half, which leaves 30 million ids for the millisecond. */
let counter = 0;

/**
 * Makes a UUIDv7 (RFC 9562, 5.7) that is higher than every earlier one of this process: milliseconds, a counter (6.2,
 * method 1) and 48 random bits. Every message and command has one. The uuid package takes 2 µs because it reads random
 * bytes each time; this takes 0.2, because Node caches the random bytes of `randomUUID`.
 */
export function uuid7(): string {
  const now = Date.now();
  if (now > time) startAt(now);
  else if (++counter >= 2 ** 26) startAt(time + 1);
  const afterVersion = (counter >>> 14).toString(16).padStart(3, "0");
  const afterVariant = (0x8000 | (counter & 0x3fff)).toString(16);
  return `${timeDigits}-7${afterVersion}-${afterVariant}-${randomUUID().slice(-12)}`;
}

function startAt(ms: number): void {
  time = ms;
  counter = Number.parseInt(randomUUID().slice(0, 8), 16) >>> 7;
  const digits = ms.toString(16).padStart(12, "0");
  timeDigits = `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
