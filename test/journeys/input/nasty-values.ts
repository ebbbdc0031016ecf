/** Unusual values that callers may send for any member, parameter or id. */
import { newId } from "../../../contracts/ids/ids.ts";

const texts = [
  "",
  " ",
  "a",
  "0",
  "-1",
  "NaN",
  "null",
  "true",
  "__proto__",
  "constructor",
  "'; drop table orders.payment_order; --",
  "../../etc/passwd",
  "${jndi:ldap://x}",
  "%00",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202Egnp.exe",
  "🤑".repeat(50),
  "x".repeat(141),
  "x".repeat(5_000),
  "2026-13-45",
  "2026-02-30T25:00:00Z",
  "0000-01-01",
  "0000-01-01T00:00:00Z",
  "2026-01-01T00:00:00+20:00",
  "0001-01-01",
  "9999-12-31",
  "po_00000000000000000000000000",
  "la_zzzzzzzzzzzzzzzzzzzzzzzzzz",
  newId("po"),
  newId("la"),
  "http://[::1",
  "//",
  "\r\nX-Injected: 1",
];

const numbers = [0, -0, -1, 0.1, 1.5, 1e21, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 999_999_999_999];

/** Values for a member of a JSON body. */
export const nastyValues: readonly unknown[] = [
  null,
  true,
  false,
  ...numbers,
  ...texts,
  [],
  [null],
  [[]],
  {},
  { a: 1 },
  { constructor: 1 },
  { toJSON: "x" },
];

/** Values for a query parameter or an id in a path, percent-encoded; half a surrogate pair has no such encoding. */
export const nastyParameters: readonly string[] = [
  ...texts.filter((text) => text !== "\ud800").map(encodeURIComponent),
  "%",
  "%zz",
  "%ff",
  "%ed%a0%80",
  "a".repeat(3_000),
];
