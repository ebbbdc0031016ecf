import { expect, it } from "vitest";
import { waitSecondsOf } from "./prefer.ts";

it.each([
  ["wait=5", 5],
  ["respond-async, wait=3", 3],
  ['Wait="4"', 4],
  ["wait = 2; foo=bar", 2],
  ["wait=0", 0],
  ["wait=60", 10],
  ["wait=soon", undefined],
  ["wait=-1", undefined],
  ["return=minimal", undefined],
  [undefined, undefined],
])("reads Prefer: %s", (header, seconds) => {
  expect(waitSecondsOf(header)).toBe(seconds);
});
