/**
 * Changes that `breakingChanges` finds and that stay in /v1, each with its reason. Once a release has it, its line is
 * deleted: a line that nothing finds fails the check.
 */
const acceptedChanges: Readonly<Record<string, string>> = {
  // A choice: one id, or a list of them. It took any text.
  "GET /v1/webhooks query endpointId: a choice is not taken any more":
    "Text that is no endpoint's id found nothing, which read as if there were no deliveries.",
  "GET /v1/webhooks query eventId: a choice is not taken any more":
    "Text that is no event's id found nothing, which read as if there were no deliveries.",
};

/** The found changes that nobody has accepted, and the accepted ones that were not found. */
export function unacceptedChanges(
  found: readonly string[],
  accepted: Readonly<Record<string, string>> = acceptedChanges,
): string[] {
  const stale = Object.keys(accepted).filter((change) => !found.includes(change));
  return [
    ...found.filter((change) => !Object.hasOwn(accepted, change)),
    ...stale.map((change) => `accepted-changes.ts names a change that is not there: ${change}`),
  ];
}
