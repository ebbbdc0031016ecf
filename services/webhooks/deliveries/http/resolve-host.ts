import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { Resolver } from "node:dns/promises";

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
/** The part of `dns.lookup` with `all` that is used here; tests pass their own. */
export type Resolve = (hostname: string, options: LookupOptions & { all: true }, resolved: Resolved) => void;

/** The name does not exist, or has no address. */
const noAddress = new Set(["ENOTFOUND", "ENODATA"]);

export interface ResolverOptions {
  /** The name servers to ask, `address:port`. Default: those of `/etc/resolv.conf`. */
  readonly servers?: readonly string[];
  /**
   * How long the first question may take; the second one may take twice as long. The default leaves 3 of the 15 seconds
   * that an attempt has.
   */
  readonly timeoutMs?: number;
}

/**
 * Looks names up without using a thread (ADR 44). Names without a dot, and those under `.localhost`, go to
 * `dns.lookup`, which reads the hosts file: no name server of a tenant is asked for them.
 *
 * Fails with the codes of `dns.lookup`: ENOTFOUND, and EAI_AGAIN if the name servers said neither yes nor no.
 */
export function hostResolver(from: ResolverOptions = {}): Resolve {
  return (hostname, options, resolved) => {
    if (!hostname.includes(".") || hostname.endsWith(".localhost")) lookup(hostname, options, resolved);
    else
      askNameServers(hostname, from).then(
        (addresses) => resolved(null, addresses),
        (error: NodeJS.ErrnoException) => resolved(error, []),
      );
  };
}

async function askNameServers(
  hostname: string,
  { servers, timeoutMs = 4_000 }: ResolverOptions,
): Promise<LookupAddress[]> {
  // A new one for each lookup reads `/etc/resolv.conf`, which may have changed.
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
  ]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const failures = answers.flatMap((answer) =>
    answer.status === "rejected" ? [answer.reason as unknown] : [],
  );
  const unanswered = failures.find((failure) => !noAddress.has(codeOf(failure)));
  const code = unanswered === undefined ? "ENOTFOUND" : "EAI_AGAIN";
  throw Object.assign(new Error(`lookup ${code} ${hostname}`, { cause: unanswered ?? failures[0] }), {
    code,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
