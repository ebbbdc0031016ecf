import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import type { EventId } from "../../../../contracts/ids/ids.ts";
import type { PublicEvent } from "./public-events.ts";

/**
 * The body of an event in a version of the API. Called once per event and version: the result is stored, and every
 * attempt, retry and replay sends those bytes.
 */
export function render(
  id: EventId,
  event: Pick<PublicEvent, "type" | "occurredAt" | "dataFor">,
  apiVersion: ApiVersion,
): string {
  const { type, occurredAt } = event;
  return JSON.stringify({ id, type, created_at: occurredAt, data: event.dataFor(apiVersion) });
}
