import ipaddr from "ipaddr.js";
import { Refusal } from "../../../../contracts/errors.ts";
import type { Mode } from "../../../../contracts/ids/ids.ts";

/** A range of addresses that is not public and that the operator allows, e.g. `127.0.0.0/8`. */
export type AllowedRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Public unicast addresses of cloud metadata services (Azure's wire server). */
const metadataAddresses = new Set(["168.63.129.16"]);

/** The IPv6 range that the internet routes today. The library reports unassigned ranges as unicast too. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** No connection can go to port 0. Port 25 is mail: a request to it could be read as mail commands. */
const refusedPorts = new Set(["0", "25"]);

/** Parses CIDRs. Throws on malformed text, so that the service does not start with a wrong configuration. */
export function allowedRanges(cidrs: readonly string[]): AllowedRange[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

/**
 * Whether a request may go to this address: public unicast, or allowed by the operator. IPv4-mapped IPv6 is checked as
 * IPv4. All special ranges are unsafe: private, loopback, link-local (and with it metadata services), carrier-grade
 * NAT, translated, multicast, reserved. Text that is not an address is unsafe.
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
 * Why an endpoint can't have this URL, or null if it can. Checks literal addresses only; the URL parser has normalised
 * `127.1`, `2130706433` and `0x7f.1`. Names are checked when they are resolved, at each connection.
 */
export function urlRejection(text: string, mode: Mode, allowed: readonly AllowedRange[]): string | null {
  if (!URL.canParse(text)) return "is not a URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https://";
  if (url.protocol === "http:" && mode === "Live") return "must begin with https:// in Live mode";
  if (url.username !== "" || url.password !== "") return "must not carry a user name or password";
  if (refusedPorts.has(url.port)) return `must not use port ${url.port}`;
  const literal = literalAddress(url.hostname);
  if (literal !== null && !isSafeAddress(literal, allowed)) {
    return "must not point to a private, loopback, link-local or reserved address";
  }
  if (literal === null && !canBeInDns(url.hostname)) {
    return "must have a host name of at most 253 characters, with 1 to 63 of them between its dots";
  }
  return null;
}

/** Whether a resolver can be asked for the name (RFC 1035, 2.3.4). The URL parser accepts `a..b` and any length. */
function canBeInDns(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  return name.length <= 253 && name.split(".").every((label) => label.length >= 1 && label.length <= 63);
}

/**
 * The URL of an endpoint as it is stored: normalised, because `HTTPS://…` is https and the check constraint compares
 * text. Refusals: `invalid_field`.
 */
export function acceptedUrl(text: string, mode: Mode, allowed: readonly AllowedRange[]): string {
  const reason = urlRejection(text, mode, allowed);
  if (reason === null) return new URL(text).href;
  throw new Refusal("invalid_field", `The url ${reason}. Use a public https URL.`, {
    errors: [{ pointer: "/url", code: "invalid_field", message: reason }],
  });
}

/** The address that a URL's host names literally, or null for a host that needs DNS. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (ipaddr.isValid(bare)) return bare;
  // RFC 6761: these names always mean loopback, so they are refused at registration.
  if (bare === "localhost" || bare.endsWith(".localhost")) return "127.0.0.1";
  return null;
}
