import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import type { ProcessClock } from "../../process-clock.ts";
import { literalAddress } from "../../endpoints/domain/safe-target.ts";
import type { ConnectionPhase } from "../domain/error-class.ts";
import type { ConnectStep, GuardedConnector } from "./guarded-connector.ts";

const idleConnectionMs = 4_000;

/** How long the phases of connecting took; null for one that was not needed, or has not ended. */
export interface ConnectTimings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
}

/** A connection that is being made, or was made for the request that is under way. */
interface Connecting {
  readonly startedAtMs: number;
  readonly isNamed: boolean;
  readonly isSecure: boolean;
  readonly endedAtMs: Partial<Record<ConnectStep, number>>;
  socket: Socket | undefined;
}

/**
 * One connection to a receiver, for one request at a time. It connects when there is a request, again if the last
 * connection has ended, and closes one that has been idle for four seconds.
 */
export class Connection {
  readonly #origin: string;
  readonly #connector: GuardedConnector;
  readonly #clock: ProcessClock;
  #client: Client;
  #connecting: Connecting | undefined;

  constructor(origin: string, connector: GuardedConnector, clock: ProcessClock) {
    this.#origin = origin;
    this.#connector = connector;
    this.#clock = clock;
    this.#client = this.#open();
  }

  /** Sends a request. The one before must have ended. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#connecting = undefined;
    this.#client.dispatch(request, handler);
  }

  /** Ends a request that waits for the connection: its handler gets the error. */
  giveUp(error: Error): void {
    const socket = this.#connecting?.socket;
    if (socket !== undefined) {
      socket.destroy(error);
      return;
    }
    const client = this.#client;
    this.#client = this.#open();
    void client.destroy(error);
  }

  get phase(): ConnectionPhase {
    const connecting = this.#connecting;
    if (connecting === undefined) return "Ready";
    const { Resolved, Connected, Secured } = connecting.endedAtMs;
    if (Connected === undefined)
      return connecting.isNamed && Resolved === undefined ? "Resolving" : "Connecting";
    return connecting.isSecure && Secured === undefined ? "Securing" : "Ready";
  }

  /** Of the connection that the latest request made; all null if it used the one before. */
  get timings(): ConnectTimings {
    const connecting = this.#connecting;
    if (connecting === undefined) return { dnsMs: null, connectMs: null, tlsMs: null };
    const { Resolved, Connected, Secured } = connecting.endedAtMs;
    return {
      dnsMs: msBetween(connecting.startedAtMs, Resolved),
      connectMs: msBetween(Resolved ?? connecting.startedAtMs, Connected),
      tlsMs: msBetween(Connected, Secured),
    };
  }

  /** Resolves when the request that is under way has ended, and the connection is closed. */
  close(): Promise<void> {
    return this.#client.close();
  }

  #open(): Client {
    return new Client(this.#origin, {
      pipelining: 1,
      keepAliveTimeout: idleConnectionMs,
      // Not for longer, even if the receiver's Keep-Alive header offers it: undici would take up to ten minutes.
      keepAliveMaxTimeout: idleConnectionMs,
      allowH2: false,
      connect: (target, callback) => {
        const connecting: Connecting = {
          startedAtMs: this.#clock.now().getTime(),
          isNamed: literalAddress(target.hostname) === null,
          isSecure: target.protocol === "https:",
          endedAtMs: {},
          socket: undefined,
        };
        this.#connecting = connecting;
        connecting.socket = this.#connector(target, callback, (step) => {
          connecting.endedAtMs[step] = this.#clock.now().getTime();
        });
      },
    });
  }
}

function msBetween(fromMs: number | undefined, toMs: number | undefined): number | null {
  return fromMs === undefined || toMs === undefined ? null : Math.max(0, toMs - fromMs);
}
