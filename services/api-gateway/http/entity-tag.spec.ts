import type { FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { entityTagOf, hasEntityTag, ifMatchVersions } from "./entity-tag.ts";

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

it("gives each text a weak tag of its own", () => {
  expect(entityTagOf("abc")).toBe('W/"ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"');
  expect(entityTagOf("abd")).not.toBe(entityTagOf("abc"));
});

it.each<[string | undefined, boolean]>([
  [undefined, false],
  ['W/"a"', true],
  ['"a"', true],
  ['"b", W/"a"', true],
  ["*", true],
  ['W/"b"', false],
  ["a", false],
])('If-None-Match %j has W/"a": %s', (header, expected) => {
  expect(hasEntityTag({ headers: { "if-none-match": header } }, 'W/"a"')).toBe(expected);
});
