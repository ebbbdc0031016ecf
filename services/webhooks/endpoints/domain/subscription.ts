import { documentedEventTypes } from "../../../../contracts/http/webhooks/webhooks.ts";

/** What an endpoint gets that names no types: those that the specification documents, so that additions stay opt-in. */
export const defaultEventTypes: readonly string[] = documentedEventTypes;

/** Whether an endpoint with these types asked for `eventType`. `*` stands for every type, also those to come. */
export function isSubscribed(subscribedTypes: readonly string[], eventType: string): boolean {
  return subscribedTypes.includes("*") || subscribedTypes.includes(eventType);
}
