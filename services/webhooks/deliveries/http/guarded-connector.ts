import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { buildConnector } from "undici";
import { type AllowedRange, isSafeAddress, literalAddress } from "../../endpoints/domain/safe-target.ts";

/** A receiver's host has an address that no request may go to. */
export class UnsafeTargetError extends Error {
  override readonly name = "UnsafeTargetError";
  constructor() {
    super("the host resolves to a private, loopback, link-local or reserved address");
  }
}

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
/** The part of `dns.lookup` with `all` that is used here; tests pass their own. */
export type Resolve = (hostname: string, options: LookupOptions & { all: true }, resolved: Resolved) => void;

type Lookup = (
  hostname: string,
  options: LookupOptions,
  done: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/**
 * Connects to public addresses only. It checks three times, because each check alone has a hole: a literal address
 * never reaches the lookup; a name may resolve to another address at each connection, so it is checked here and not at
 * registration; and only the connected socket knows where it really went.
 */
export function guardedConnector(
  allowed: readonly AllowedRange[],
  options: { connectTimeoutMs: number; resolve?: Resolve },
): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    allowH2: false,
    lookup: guardedLookup(allowed, options.resolve ?? systemLookup),
  });
  return (target, callback) => {
    const literal = literalAddress(target.hostname);
    if (literal !== null && !isSafeAddress(literal, allowed)) {
      callback(new UnsafeTargetError(), null);
      return;
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
      } else if (isSafeAddress(socket.remoteAddress ?? "", allowed)) {
        callback(null, socket);
      } else {
        socket.destroy();
        callback(new UnsafeTargetError(), null);
      }
    });
  };
}

/** One unsafe address among several refuses the whole name: otherwise a retry could use the unsafe one. */
function guardedLookup(allowed: readonly AllowedRange[], resolve: Resolve): Lookup {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) done(error, []);
      else if (first === undefined || addresses.some(({ address }) => !isSafeAddress(address, allowed))) {
        done(new UnsafeTargetError(), []);
      } else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}
