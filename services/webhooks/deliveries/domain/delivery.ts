import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { SigningSecret } from "../../endpoints/domain/signature.ts";

/** Where an endpoint's deliveries go and what signs them. */
export interface Receiver {
  readonly endpointId: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly apiVersion: ApiVersion;
  /** The active ones, newest first. */
  readonly secrets: readonly SigningSecret[];
}

/** An instance's right to send a delivery. A result under an older lease no longer decides what comes next. */
export interface Lease {
  readonly id: string;
  readonly endsAt: Date;
}

/** A delivery in an instance's hand. Ids are `uuid`s as stored, but for the event's, which receivers read. */
export interface LeasedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly body: string;
  readonly attemptCount: number;
  readonly attemptsAllowed: number;
  readonly acknowledgedBefore: boolean;
  readonly lease: Lease;
  readonly receiver: Receiver;
}
