import ipaddr from "ipaddr.js";

type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

function blockOf(text: string): Block {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** True when the address lies in one of the blocks (addresses or CIDR). IPv4 within IPv6 counts as IPv4. */
export function isWithin(address: string, blocks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return blocks.some((text) => {
    const [base, bits] = blockOf(text);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

/**
 * The address that a request comes from: the socket's, or what our own proxies say in X-Forwarded-For, read from
 * the right up to the first address that is not a proxy of ours. What stands left of it anybody can have written.
 */
export function clientAddressOf(
  socketAddress: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly string[],
): string {
  const hops = (forwardedFor ?? "").split(",").map((hop) => hop.trim());
  let client = socketAddress;
  while (isWithin(client, trustedProxies)) {
    const next = hops.pop();
    if (next === undefined || !ipaddr.isValid(next)) return client;
    client = next;
  }
  return client;
}
