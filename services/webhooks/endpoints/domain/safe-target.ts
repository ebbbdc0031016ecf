import ipaddr from "ipaddr.js";
import type { Mode } from "../../../../contracts/ids/ids.ts";

/** An address range that the operator allows although it is not public, e.g. `127.0.0.0/8`. */
export type AllowedRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Public unicast that is a cloud's metadata service all the same (Azure's wire server). */
const metadataAddresses = new Set(["168.63.129.16"]);

/** What the internet routes today; the rest of IPv6 counts as unicast in the library and is nobody's. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** Parses `a/b` texts. Throws on one that is no CIDR: a wrong allowance must not start. */
export function allowedRanges(cidrs: readonly string[]): AllowedRange[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

/**
 * Whether a request may go to this address: public unicast, or allowed by the operator. Mapped IPv4 is judged as the
 * IPv4 that it is; everything with a meaning of its own (private, loopback, link-local and with it the metadata
 * services, carrier-grade NAT, translated, multicast, reserved) is refused. Text that is no address is refused.
 */
export function isSafeAddress(text: string, allowed: readonly AllowedRange[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (allowed.some((range) => contains(range, address))) return true;
  if (metadataAddresses.has(address.toString())) return false;
  if (address instanceof ipaddr.IPv6 && !address.match(globalUnicast)) return false;
  return address.range() === "unicast";
}

function contains([network, bits]: AllowedRange, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (network instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(network, bits);
  return address instanceof ipaddr.IPv6 && address.match(network, bits);
}

/**
 * Why an endpoint may not have this URL, or null. Knows literal addresses only (the URL parser turns `127.1`,
 * `2130706433` and `0x7f.1` into one first); names are judged when they are resolved, again at every connection.
 */
export function faultOfUrl(text: string, mode: Mode, allowed: readonly AllowedRange[]): string | null {
  if (!URL.canParse(text)) return "is not a URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https://";
  if (url.protocol === "http:" && mode === "Live") return "must begin with https:// in Live mode";
  if (url.username !== "" || url.password !== "") return "must not carry a user name or password";
  const literal = literalAddress(url.hostname);
  if (literal !== null && !isSafeAddress(literal, allowed)) {
    return "must not point to a private, loopback, link-local or reserved address";
  }
  return null;
}

/** The address that a URL's host is by itself, without asking DNS; null for a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (ipaddr.isValid(bare)) return bare;
  // RFC 6761: these names mean loopback everywhere, so waiting for the resolver would only delay the refusal.
  if (bare === "localhost" || bare.endsWith(".localhost")) return "127.0.0.1";
  return null;
}
