import ipaddr from "ipaddr.js";

type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

function blockOf(text: string): Block {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** True if every address of the block (an address or CIDR) is in one of the others. */
export function isBlockWithin(block: string, others: readonly string[]): boolean {
  const [base, bits] = blockOf(block);
  return others.some((text) => {
    const [otherBase, otherBits] = blockOf(text);
    return base.kind() === otherBase.kind() && bits >= otherBits && base.match(otherBase, otherBits);
  });
}

/** True if the address is in one of the blocks (addresses or CIDR). An IPv4-mapped IPv6 address counts as IPv4. */
export function isWithin(address: string, blocks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return blocks.some((text) => {
    const [base, bits] = blockOf(text);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

/** The caller's address without the port that some proxies add in X-Forwarded-For; undefined if it is no address. */
export function callerAddress({ ip }: { readonly ip: string }): string | undefined {
  const [, bracketed, plain] = /^\[([^\]]+)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(ip) ?? [];
  const address = bracketed ?? plain ?? ip;
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : undefined;
}

/**
 * The address for limits and the audit log. A text that is no address counts as the proxy's: otherwise a caller could
 * escape the limits by sending a new text each time.
 */
export function addressOf({
  ip,
  socket,
}: {
  readonly ip: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
}): string {
  return callerAddress({ ip }) ?? socket.remoteAddress ?? "";
}

/** A client usually has a whole /64 of IPv6 and can change its address within it, so the /64 counts as one address. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : parsed.toByteArray().slice(0, 8).join(".");
}
