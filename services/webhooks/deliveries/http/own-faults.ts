import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { isIPv6 } from "node:net";
import { OwnFault, type OwnFaultReason } from "../domain/error-class.ts";

/** Looks at our own side of the network. */
export interface Probes {
  /** Whether our resolver answers a question that has an answer. */
  resolverAnswers(): Promise<boolean>;
  /** Whether this host knows a route to the IPv4 address. */
  hasRoute(address: string): Promise<boolean>;
}

/** Memory or file handles of this process or host. */
const exhausted = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);
const noRoute = new Set(["ENETUNREACH", "ENETDOWN"]);
/** The resolver said neither yes nor no. A name that does not exist is ENOTFOUND. */
const unanswered = new Set(["EAI_AGAIN", "EAI_FAIL", "EAI_MEMORY", "EAI_SYSTEM", "ETIMEOUT", "ESERVFAIL"]);

/**
 * The failure as one of our own if the receiver had no part in it, otherwise undefined.
 *
 * Most codes alone don't tell: a name server of the receiver that is down, and a distant router without a route, look
 * like a resolver and a route of ours. So those two are looked at. A receiver that has IPv6 alone is not ours to reach.
 */
export async function ownFaultIn(error: Error, probes: Probes): Promise<OwnFault | undefined> {
  const causes = causesOf(error);
  let reason: OwnFaultReason | undefined;
  for (const cause of causes) {
    if ("address" in cause && isIPv6(String(cause.address)) && !exhausted.has(codeOf(cause))) continue;
    reason = await reasonOf(cause, probes);
    if (reason === undefined) return undefined;
  }
  return reason === undefined ? undefined : new OwnFault(reason, error);
}

/** The lookup of a name that took too long: ours, if the resolver does not answer anything else either. */
export async function ownFaultOfLookup(error: Error, probes: Probes): Promise<OwnFault | undefined> {
  return (await probes.resolverAnswers()) ? undefined : new OwnFault("Resolver", error);
}

/** One for each address that was tried. If one of them took too long, undici wraps them. */
function causesOf(error: Error): readonly Error[] {
  const all = error.cause instanceof AggregateError ? error.cause : error;
  return all instanceof AggregateError ? (all.errors as Error[]) : [error];
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}

async function reasonOf(error: Error, probes: Probes): Promise<OwnFaultReason | undefined> {
  const code = codeOf(error);
  if (exhausted.has(code)) return "Resources";
  if (code === "EADDRNOTAVAIL") return "Ports";
  if (noRoute.has(code) && "address" in error)
    return (await probes.hasRoute(String(error.address))) ? undefined : "Route";
  if (unanswered.has(code)) return (await probes.resolverAnswers()) ? undefined : "Resolver";
  return undefined;
}

const probeForMs = 5_000;

/** Asks the resolver of this host, once in five seconds at most, and its routing table. */
export class NetworkProbes implements Probes {
  readonly #servers: readonly string[] | undefined;
  #resolver: { readonly askedAtMs: number; readonly answers: Promise<boolean> } | undefined;

  /** `servers`: those to ask instead of the host's own. */
  constructor(servers?: readonly string[]) {
    this.#servers = servers;
  }

  resolverAnswers(): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#resolver === undefined || nowMs - this.#resolver.askedAtMs > probeForMs)
      this.#resolver = { askedAtMs: nowMs, answers: this.#askForRoot() };
    return this.#resolver.answers;
  }

  /** Every resolver that reaches the internet, or has a zone of its own, knows the name servers of the root. */
  async #askForRoot(): Promise<boolean> {
    const resolver = new Resolver({ timeout: 1_000, tries: 1 });
    if (this.#servers !== undefined) resolver.setServers(this.#servers);
    try {
      await resolver.resolveNs(".");
      return true;
    } catch (error) {
      return ["ENODATA", "ENOTFOUND"].includes(codeOf(error as Error));
    }
  }

  /** A UDP socket that connects has the kernel look for a route, and sends nothing. */
  hasRoute(address: string): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = createSocket("udp4");
      const end = (found: boolean) => {
        socket.close();
        resolve(found);
      };
      socket.once("connect", () => end(true)).once("error", () => end(false));
      socket.connect(443, address);
    });
  }
}
