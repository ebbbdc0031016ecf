/** Replays, as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type { webhookReplay, webhookReplayCreate } from "../webhooks/replays.ts";
import { at, ids } from "./ids.ts";

export const replayExamples = {
  WebhookReplayCreate: {
    endpointId: ids.endpoint,
    status: ["DeadLettered"],
    since: at(0),
    until: at(3_600_000),
  } satisfies z.input<typeof webhookReplayCreate>,
  WebhookReplay: {
    id: ids.replay,
    status: "Running",
    endpointId: ids.endpoint,
    eventTypes: null,
    statuses: ["DeadLettered"],
    since: at(0),
    until: at(3_600_000),
    includeMissed: false,
    matched: 1_200,
    queued: 340,
    createdAt: at(7_200_000),
    endedAt: null,
  } satisfies z.output<typeof webhookReplay>,
};
/** The one that cancelReplay answers with. */
export const cancelledReplay = {
  ...replayExamples.WebhookReplay,
  status: "Cancelled",
  endedAt: at(7_260_000),
} satisfies z.output<typeof webhookReplay>;
