import { expect, it } from "vitest";
import { clientAddressOf, isWithin } from "./client-address.ts";

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
  ["the socket's, without proxies of ours", "198.51.100.1", "203.0.113.7", [], "198.51.100.1"],
  ["what our proxy says", "10.0.0.1", "203.0.113.7", ["10.0.0.0/8"], "203.0.113.7"],
  ["never what the client wrote before our proxy", "10.0.0.1", "192.0.2.9, 203.0.113.7", ["10.0.0.0/8"], "203.0.113.7"],
  ["read through two proxies", "10.0.0.1", "203.0.113.7, 10.0.0.2", ["10.0.0.0/8"], "203.0.113.7"],
  ["the proxy's own, when it says nothing", "10.0.0.1", undefined, ["10.0.0.0/8"], "10.0.0.1"],
  ["the proxy's own, when it says nonsense", "10.0.0.1", "unknown", ["10.0.0.0/8"], "10.0.0.1"],
])("the client's address is %s", (_what, socket, forwarded, trusted, address) => {
  expect(clientAddressOf(socket, forwarded, trusted)).toBe(address);
});
