import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { SigningSecret } from "../../endpoints/domain/signature.ts";

/** An enabled endpoint with its secrets decrypted: all that a delivery needs. Its ids are stored `uuid`s. */
export interface ResolvedEndpoint {
  readonly endpointId: string;
  readonly book: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly apiVersion: ApiVersion;
  /** Null where the service's own setting applies. */
  readonly maxAttempts: number | null;
  readonly backoffMs: readonly number[] | null;
  readonly ratePerSecond: number | null;
  /** It is disabled when it has failed for some days. */
  readonly countsFailingDays: boolean;
  /** The active secrets, newest first. */
  readonly secrets: readonly SigningSecret[];
  /** When it was read, by `ProcessClock.elapsedMs`. */
  readonly readAtMs: number;
}

/** An instance's right to send a delivery. A failed attempt under an older lease no longer changes the delivery. */
export interface Lease {
  readonly id: string;
  readonly endsAt: Date;
}

/** A delivery that this instance may send. Ids are stored `uuid`s, except `eventId`, which receivers read. */
export interface LeasedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly body: string;
  readonly attemptCount: number;
  readonly attemptsAllowed: number;
  readonly acknowledgedBefore: boolean;
  /** The test of an endpoint that the newest of its secrets alone signs. */
  readonly newestSecretOnly: boolean;
  readonly lease: Lease;
  readonly endpoint: ResolvedEndpoint;
}

/** First attempts and later ones, which have connections and room of their own. */
export const lanes = ["First", "Retry"] as const;
export type Lane = (typeof lanes)[number];

export function laneOf({ attemptCount }: Pick<LeasedDelivery, "attemptCount">): Lane {
  return attemptCount === 0 ? "First" : "Retry";
}
