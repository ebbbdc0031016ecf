import { idOf } from "../../../contracts/ids/ids.ts";
import type { Lease, LeasedDelivery, ResolvedEndpoint } from "../deliveries/domain/delivery.ts";
import type { NewDelivery } from "./store/events.ts";

/** A delivery to insert, and what its request needs. */
export interface PlannedDelivery extends NewDelivery {
  /** Null if a secret of it can't be decrypted. */
  readonly endpoint: ResolvedEndpoint | null;
  readonly body: string;
}

/** A new delivery that was inserted with its lease, ready to send. */
export function newLeasedDelivery(
  {
    id,
    eventId,
    endpoint,
    body,
    attemptsAllowed,
  }: Pick<PlannedDelivery, "id" | "eventId" | "body" | "attemptsAllowed"> & {
    readonly endpoint: ResolvedEndpoint;
  },
  lease: Lease,
  newestSecretOnly = false,
): LeasedDelivery {
  return {
    id,
    eventId: idOf("evt", eventId),
    body,
    attemptCount: 0,
    attemptsAllowed,
    acknowledgedBefore: false,
    newestSecretOnly,
    lease,
    endpoint,
  };
}
