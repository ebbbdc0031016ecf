import { eventTypes } from "../../../../contracts/http/webhooks/webhooks.ts";
import { isSubscribed } from "../../endpoints/domain/subscription.ts";

/**
 * The types of missed events that a replay sends to an endpoint: those that are asked for (null: all) and that it
 * subscribes to now. Never `test.event`, which is for the endpoint that was tested alone.
 */
export function missedTypes(asked: readonly string[] | null, subscribed: readonly string[]): string[] {
  return eventTypes.filter(
    (type) => type !== "test.event" && isSubscribed(subscribed, type) && (asked?.includes(type) ?? true),
  );
}
