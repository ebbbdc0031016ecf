/** Replays: jobs that send the deliveries of a period again. */
import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { anyTime, createdAt, pageOf, pageQuery, timestamp } from "../shapes.ts";
import { eventDescriptions } from "./webhooks.ts";

const maxDays = 31;
const dayMs = 86_400_000;

/** What a delivery ended as. Those that are still being sent need no replay. */
const replayable = namedEnum("ReplayableStatus", "What the deliveries to replay ended as.", {
  Delivered: "The receiver acknowledged it with a 2xx.",
  DeadLettered: "The last attempt failed.",
});
/** Not any text: a misspelt type, or `*`, would match nothing and look like a replay of nothing. */
const eventTypes = z
  .array(namedEnum("ReplayableEventType", "A type of event.", eventDescriptions))
  .min(1)
  .max(50);

/** The body of POST /v1/webhooks/replay. */
export const webhookReplayCreate = z
  .strictObject({
    endpointId: idSchema("we").optional().meta({
      description: "The endpoint to replay to. Default: every Enabled endpoint, each its own deliveries.",
    }),
    eventTypes: eventTypes.optional().meta({
      description: "The types of events to replay. Default: all of them; there is no `*`.",
      examples: [["payment_order.completed"]],
    }),
    status: z
      .array(replayable)
      .min(1)
      .max(2)
      .optional()
      .meta({ description: "What the deliveries ended as. Default: Delivered and DeadLettered." }),
    since: anyTime.meta({
      description: "Replays what was created at or after this time, in real time (RFC 3339).",
    }),
    until: anyTime.meta({
      description: `Replays what was created before this time, at most ${String(maxDays)} days after \`since\`.`,
    }),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: "True: only count. Nothing is stored or sent, and `id` is null." }),
    includeMissed: z.boolean().default(false).meta({
      description:
        "True: also send events of the types that the endpoint subscribes to now and never got, such as those from before it was created. Send `endpointId` with it.",
    }),
  })
  .superRefine(({ since, until, includeMissed, endpointId }, context) => {
    const lengthMs = Date.parse(until) - Date.parse(since);
    if (lengthMs <= 0)
      context.addIssue({ code: "custom", path: ["until"], message: "must be later than since" });
    if (lengthMs > maxDays * dayMs) {
      const message = `must be at most ${String(maxDays)} days after since: split the period into several replays`;
      context.addIssue({ code: "custom", path: ["until"], message });
    }
    if (includeMissed && endpointId === undefined) {
      const message = "is required with includeMissed: name the endpoint to send the missed events to";
      context.addIssue({ code: "custom", path: ["endpointId"], message, params: { code: "missing_field" } });
    }
  })
  .meta({ id: "WebhookReplayCreate", description: "What to send again." });
export type WebhookReplayCreate = z.output<typeof webhookReplayCreate>;

export const replayStatus = namedEnum("WebhookReplayStatus", "How far the replay is.", {
  Counted: "A dry run. Nothing is sent.",
  Running: "Deliveries are being queued and sent again. New events are sent first.",
  Done: "All of them were queued: each is sent once more.",
  Cancelled: "It was cancelled. What was queued before is sent.",
});

/** A replay and its progress. */
export const webhookReplay = z
  .object({
    id: idSchema("rpl").nullable().meta({ description: "Null for a dry run." }),
    status: replayStatus,
    endpointId: idSchema("we").nullable().meta({ description: "Null: every endpoint that was Enabled." }),
    eventTypes: z.array(z.string()).nullable().meta({ description: "Null: all types." }),
    statuses: z.array(replayable).meta({ description: "What the deliveries to replay had ended as." }),
    since: timestamp.meta({ description: "The start of the period, included." }),
    until: timestamp.meta({ description: "The end of the period, excluded." }),
    includeMissed: z.boolean().meta({ description: "Whether events that the endpoint never got are sent." }),
    matched: z.int().meta({ description: "How many deliveries were counted before the start." }),
    queued: z.int().meta({
      description:
        "How many of them were queued to be sent. A delivery whose attempt was under way anyway is not counted, so this may stay below `matched`.",
    }),
    createdAt,
    endedAt: timestamp.nullable().meta({ description: "When the last one was queued, or it was cancelled." }),
  })
  .meta({ id: "WebhookReplay", description: "A job that sends deliveries again." });
export type WebhookReplay = z.infer<typeof webhookReplay>;
export const webhookReplayPage = pageOf(webhookReplay).meta({
  id: "WebhookReplayPage",
  description: "One page of replays.",
});
export const webhookReplayQuery = z.strictObject({ ...pageQuery });
