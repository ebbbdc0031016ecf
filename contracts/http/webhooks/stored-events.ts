/** Events as they are read, whether or not an endpoint received them, and the types that exist. */
import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { createdAtFilters, digitsAsNumber, oneOrMany, pageOf, pageQuery, timestamp } from "../shapes.ts";
import { apiVersion } from "../versions.ts";

export const event = z
  .object({
    id: idSchema("evt").meta({ description: "The event's id: `webhook-id` of each of its deliveries." }),
    type: z.string().meta({ description: "The event's type.", examples: ["payment_order.completed"] }),
    objectId: z.string().meta({ description: "What the event is about, such as a payment order." }),
    sequence: z.int().meta({
      description: "Counts a payment order's events from 1, without gaps. 1 for other events.",
    }),
    created_at: timestamp.meta({ description: "When it happened." }),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: "As endpoints of this version of the API receive it." }),
  })
  .meta({ id: "StoredEvent", description: "An event, also if no endpoint received it." });
export type StoredEvent = z.infer<typeof event>;
export const eventPage = pageOf(event).meta({ id: "StoredEventPage", description: "One page of events." });

const afterSequence = z.preprocess(
  digitsAsNumber,
  z
    .int32()
    .min(0)
    .optional()
    .meta({
      description: "Only events with a greater `sequence`. Send `objectId` with it.",
      examples: [1],
    }),
);
export const eventQuery = z
  .strictObject({
    ...pageQuery,
    type: oneOrMany(
      z
        .string()
        .max(100)
        .meta({ examples: ["payment_order.completed"] }),
      "The event's type.",
    ),
    objectId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({
        description: "What the events are about, such as a payment order.",
        examples: ["po_01jd3k5s8ye9v8z2r0q3m7n4xa"],
      }),
    afterSequence,
    ...createdAtFilters,
  })
  .refine(({ objectId, afterSequence: after }) => after === undefined || objectId !== undefined, {
    path: ["afterSequence"],
    message: "can only be sent with objectId: sequences count the events of one object",
  });

export const eventTypeInfo = z
  .object({
    type: z.string().meta({ description: "The type's name.", examples: ["payment_order.completed"] }),
    description: z.string().meta({ description: "When such an event is sent." }),
    isDefault: z.boolean().meta({ description: "True if endpoints without `eventTypes` receive it." }),
    apiVersion,
    schema: z
      .record(z.string(), z.unknown())
      .meta({ description: "The JSON Schema (2020-12) of the body in this version of the API." }),
  })
  .meta({ id: "EventType", description: "A type of event, and what its body has." });
export type EventTypeInfo = z.infer<typeof eventTypeInfo>;
export const eventTypePage = pageOf(eventTypeInfo).meta({
  id: "EventTypePage",
  description: "All types of events, on one page.",
});
