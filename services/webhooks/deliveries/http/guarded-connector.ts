import type { LookupAddress, LookupOptions } from "node:dns";
import { Socket } from "node:net";
import { buildConnector } from "undici";
import { type AllowedRange, isSafeAddress, literalAddress } from "../../endpoints/domain/safe-target.ts";
import { TimedOutError, UnsafeTargetError } from "../domain/error-class.ts";
import { ownFaultIn, ownFaultOfLookup, type Probes } from "./own-faults.ts";
import { hostResolver, type Resolve } from "./resolve-host.ts";

type Lookup = (
  hostname: string,
  options: LookupOptions,
  done: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/** A phase of connecting that has ended. */
export type ConnectStep = "Resolved" | "Connected" | "Secured";

/**
 * Connects as undici's own connectors do, without a time-out: whoever destroys the returned socket with an error gives
 * up, and the callback gets that error. Returns undefined if it refuses to connect.
 */
export type GuardedConnector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  onStep?: (step: ConnectStep) => void,
) => Socket | undefined;

/**
 * How long each address of a name but the last may take to connect. Node's 250 ms give up a distant receiver, and one
 * whose first packet is lost. Lost ones are sent again after 1 s and after 3 s.
 */
const perAddressMs = 4_000;

/**
 * Connects to public addresses only. It checks three times, because each check alone has a hole: a literal address
 * never reaches the lookup; a name may resolve to another address at each connection, so it is checked here and not at
 * registration; and only the connected socket knows where it really went. What fails on our own side is an `OwnFault`.
 */
export function guardedConnector(
  allowed: readonly AllowedRange[],
  { probes, resolve = hostResolver() }: { readonly probes: Probes; readonly resolve?: Resolve },
): GuardedConnector {
  const connect = buildConnector({
    timeout: 0,
    allowH2: false,
    lookup: guardedLookup(allowed, resolve),
    autoSelectFamilyAttemptTimeout: perAddressMs,
  });
  return (target, callback, onStep = () => undefined) => {
    const literal = literalAddress(target.hostname);
    if (literal !== null && !isSafeAddress(literal, allowed)) {
      callback(new UnsafeTargetError(), null);
      return undefined;
    }
    let isResolving = literal === null;
    const fail = async (error: Error) => {
      const isLookup = isResolving && error instanceof TimedOutError;
      const own = await (isLookup ? ownFaultOfLookup(error, probes) : ownFaultIn(error, probes));
      callback(own ?? error, null);
    };
    // Undici's types leave out that it returns the socket.
    const made: unknown = connect(target, (...[error, socket]) => {
      if (error !== null) {
        void fail(error);
      } else if (isSafeAddress(socket.remoteAddress ?? "", allowed)) {
        callback(null, socket);
      } else {
        socket.destroy();
        callback(new UnsafeTargetError(), null);
      }
    });
    if (!(made instanceof Socket)) return undefined;
    made.prependOnceListener("lookup", (error: Error | null) => {
      isResolving = error !== null;
      if (error === null) onStep("Resolved");
    });
    made.prependOnceListener("connect", () => onStep("Connected"));
    made.prependOnceListener("secureConnect", () => onStep("Secured"));
    return made;
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
