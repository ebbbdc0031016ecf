import { expect, it } from "vitest";
import { isWithin } from "./address-blocks.ts";

it.each([
  ["203.0.113.7", ["203.0.113.0/24"], true],
  ["203.0.114.7", ["203.0.113.0/24"], false],
  ["203.0.113.7", ["203.0.113.7"], true],
  ["::ffff:203.0.113.7", ["203.0.113.7"], true],
  ["2001:db8::1", ["2001:db8::/32", "203.0.113.0/24"], true],
  ["2001:db9::1", ["2001:db8::/32"], false],
  ["not an address", ["0.0.0.0/0"], false],
])("%s within %j: %s", (address, blocks, within) => {
  expect(isWithin(address, blocks)).toBe(within);
});
