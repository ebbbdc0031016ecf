import { expect, it } from "vitest";
import { takesGzip } from "./gzip.ts";

it.each<[string | undefined, boolean]>([
  [undefined, false],
  ["", false],
  ["identity", false],
  ["br", false],
  ["gzip", true],
  ["GZIP", true],
  ["gzip, deflate, br", true],
  ["br;q=1.0, gzip;q=0.5", true],
  ["gzip;q=0", false],
  ["gzip;q=0.000, *", false],
  ["*", true],
  ["*;q=0", false],
  ["gzip;q=much", false],
])("Accept-Encoding %j takes gzip: %s", (header, expected) => {
  expect(takesGzip(header)).toBe(expected);
});
