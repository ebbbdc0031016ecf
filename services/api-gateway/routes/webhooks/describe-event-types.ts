import { z } from "zod";
import type { ApiVersion } from "../../../../contracts/http/versions.ts";
import { eventBodyOf } from "../../../../contracts/http/webhooks/events.ts";
import type { EventTypeInfo } from "../../../../contracts/http/webhooks/stored-events.ts";
import {
  defaultEventTypes,
  eventDescriptions,
  eventTypes,
  type WebhookEventType,
} from "../../../../contracts/http/webhooks/webhooks.ts";

const described = new Map<ApiVersion, EventTypeInfo[]>();

/** Every type of event. Its schema is complete: what it references is among its own `$defs`. */
export function describeEventTypes(version: ApiVersion): EventTypeInfo[] {
  const known = described.get(version);
  if (known !== undefined) return known;
  const types = eventTypes.map((type) => ({
    type,
    description: eventDescriptions[type],
    isDefault: defaultEventTypes.includes(type),
    apiVersion: version,
    schema: schemaOf(type, version),
  }));
  described.set(version, types);
  return types;
}

/** Events may grow: members that the schema doesn't know are allowed. */
function schemaOf(type: WebhookEventType, version: ApiVersion): Record<string, unknown> {
  const body = z.object({ ...eventBodyOf(type, version).shape, type: z.literal(type) });
  return z.toJSONSchema(body, {
    target: "draft-2020-12",
    io: "output",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      delete jsonSchema.id;
    },
  }) as Record<string, unknown>;
}
