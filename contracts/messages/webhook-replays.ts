import { z } from "zod";
import {
  webhookReplay,
  webhookReplayCreate,
  webhookReplayPage,
  webhookReplayQuery,
} from "../http/webhooks/replays.ts";
import { request } from "../message.ts";

const byId = z.object({ id: z.string() });
/** Counts, and stores a job that sends the deliveries again with the same event ids and bytes. */
export const CreateReplay = request("webhooks", "create-replay", webhookReplayCreate, webhookReplay);
export const GetReplay = request("webhooks", "get-replay", byId, webhookReplay);
export const ListReplays = request("webhooks", "list-replays", webhookReplayQuery, webhookReplayPage);
/** What was queued before is still sent. */
export const CancelReplay = request("webhooks", "cancel-replay", byId, webhookReplay);
