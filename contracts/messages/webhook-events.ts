import { z } from "zod";
import { apiVersion } from "../http/versions.ts";
import { event, eventPage, eventQuery } from "../http/webhooks/stored-events.ts";
import { request } from "../message.ts";

/** `apiVersion` is the one that was called: events are rendered in it. */
export const ListEvents = request(
  "webhooks",
  "list-events",
  z.object({ query: eventQuery, apiVersion }),
  eventPage,
);
export const GetEvent = request("webhooks", "get-event", z.object({ id: z.string(), apiVersion }), event);
