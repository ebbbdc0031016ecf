import { eventTypes } from "../../../../contracts/http/webhooks/webhooks.ts";
import { isSubscribed } from "../../endpoints/domain/subscription.ts";

/**
 * The types of events that an endpoint gets if it missed them: those that are asked for, null for all, and that it
 * subscribes to now. A test goes to the endpoint that it tests, and to no other.
 */
export function missedTypes(asked: readonly string[] | null, subscribed: readonly string[]): string[] {
  return eventTypes.filter(
    (type) => type !== "test.event" && isSubscribed(subscribed, type) && (asked?.includes(type) ?? true),
  );
}
