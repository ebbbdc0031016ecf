import { expect, it } from "vitest";
import { codingFor, takesGzip } from "./compression.ts";

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

it.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ["identity", undefined],
  ["gzip, deflate, br, zstd", "br"],
  ["br", "br"],
  ["gzip", "gzip"],
  ["*", "gzip"],
  ["br;q=0.5, gzip", "gzip"],
  ["br;q=0, gzip;q=0", undefined],
])("Accept-Encoding %j gets a kept text as %s", (header, expected) => {
  expect(codingFor(header)).toBe(expected);
});
