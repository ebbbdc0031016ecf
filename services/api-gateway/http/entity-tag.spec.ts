import type { FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { ifMatchVersions } from "./entity-tag.ts";

it.each<[string | undefined, number[] | undefined]>([
  [undefined, undefined],
  ["*", undefined],
  ['"3"', [3]],
  [' "3" , "12"', [3, 12]],
  // A weak tag never matches strongly, and a tag that is not ours matches no version.
  ['W/"3"', []],
  ['W/"3", "4"', [4]],
  ["3", []],
  ['"03"', []],
  ['"3.0"', []],
  ['"99999999999999999999"', []],
  ["", []],
])("If-Match %j means the versions %j", (header, expected) => {
  const request = { headers: header === undefined ? {} : { "if-match": header } };
  expect(ifMatchVersions(request as unknown as FastifyRequest)).toEqual(expected);
});
