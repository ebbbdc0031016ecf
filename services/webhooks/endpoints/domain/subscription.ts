/** Whether an endpoint with these types receives `eventType`. `*` means every type, including future ones. */
export function isSubscribed(subscribedTypes: readonly string[], eventType: string): boolean {
  return subscribedTypes.includes("*") || subscribedTypes.includes(eventType);
}
