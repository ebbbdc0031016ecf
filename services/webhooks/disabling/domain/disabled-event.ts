import { idOf } from "../../../../contracts/ids/ids.ts";
import type { PublicEvent } from "../../events/domain/public-events.ts";

/** An endpoint that was disabled. Its id is a stored `uuid`; times are those of its book's clock. */
interface DisabledEndpoint {
  readonly id: string;
  readonly url: string;
  readonly disableAfterDays: number;
  readonly failingSince: Date;
  readonly disabledAt: Date;
}

/** The event names only the host of the URL: the rest may be known to that receiver alone. */
export function disabledEvent(endpoint: DisabledEndpoint): PublicEvent {
  const objectId = idOf("we", endpoint.id);
  const failingSince = endpoint.failingSince.toISOString();
  const occurredAt = endpoint.disabledAt.toISOString();
  const { disableAfterDays } = endpoint;
  const payload = { host: new URL(endpoint.url).host, disableAfterDays, failingSince, occurredAt };
  return {
    type: "webhook_endpoint.disabled",
    objectId,
    sequence: 1,
    // It is disabled once for each time of failures.
    changeKey: `failing since ${failingSince}`,
    occurredAt,
    payload,
    dataFor: () => ({ id: objectId, ...payload }),
  };
}
