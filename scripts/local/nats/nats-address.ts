import { withoutCredentials } from "../../../services/platform/nats/connection.ts";

/** A host with its port, or a URL: a word alone could be a host, and is more likely a mistake. */
const address = /^(?:(?:nats|tls):\/\/(?:[^/@\s]*@)?[^/:@\s]+(?::\d{1,5})?|[^/:@\s]+:\d{1,5})\/?$/;
const bracketed = /\[[0-9a-f:.]+\]/i;

/** Throws an error that says what to write if NATS_URL names no servers: no waiting would help. */
export function rejectNoAddress(urls: string): void {
  const wrong = urls.split(",").find((url) => !isAddress(url.trim()));
  if (wrong === undefined) return;
  const shown = JSON.stringify(withoutCredentials(wrong));
  throw new Error(`NATS_URL: ${shown} is no address of a NATS server, such as nats://127.0.0.1:4222`);
}

function isAddress(url: string): boolean {
  if (!address.test(url.replace(bracketed, "ipv6"))) return false;
  const port = Number(/:(\d+)\/?$/.exec(url)?.[1] ?? 4222);
  return port >= 1 && port <= 65_535;
}
