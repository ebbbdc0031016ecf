import { expect, it } from "vitest";
import { addressOf, callerAddress, isBlockWithin, isWithin } from "./address-blocks.ts";

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

it.each([
  ["203.0.113.7", ["203.0.113.0/24"], true],
  ["203.0.113.0/25", ["203.0.113.0/24"], true],
  ["203.0.113.0/24", ["203.0.113.0/24"], true],
  ["203.0.112.0/23", ["203.0.113.0/24"], false],
  ["203.0.114.0/25", ["203.0.113.0/24", "203.0.114.0/24"], true],
  ["0.0.0.0/0", ["203.0.113.0/24"], false],
  ["::/0", ["0.0.0.0/0"], false],
  ["2001:db8::/48", ["2001:db8::/32"], true],
])("every address of %s within %j: %s", (block, others, within) => {
  expect(isBlockWithin(block, others)).toBe(within);
});

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["203.0.113.7:4711", "203.0.113.7"],
  ["2001:db8::1", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["[2001:db8::1]:4711", "2001:db8::1"],
  ["unknown", "192.0.2.1"],
  ["_hidden-1", "192.0.2.1"],
  ["127.1", "192.0.2.1"],
  ["x".repeat(3_000), "192.0.2.1"],
])("a request from %s, as its proxy says, is one from %s", (ip, address) => {
  expect(addressOf({ ip, socket: { remoteAddress: "192.0.2.1" } })).toBe(address);
  // An allowlist with the proxy's network lets nobody in whom the proxy can't name.
  expect(callerAddress({ ip })).toBe(address === "192.0.2.1" ? undefined : address);
});
