import { documentedEventTypes } from "../../../../contracts/http/webhooks/webhooks.ts";

/** The types of an endpoint that names none: those that the specification documents. Later types are opt-in. */
export const defaultEventTypes: readonly string[] = documentedEventTypes;

/** Whether an endpoint with these types receives `eventType`. `*` means every type, including future ones. */
export function isSubscribed(subscribedTypes: readonly string[], eventType: string): boolean {
  return subscribedTypes.includes("*") || subscribedTypes.includes(eventType);
}
