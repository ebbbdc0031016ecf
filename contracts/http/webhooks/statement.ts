import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { pageEnd, pageQuery } from "../shapes.ts";

/** A day in UTC, on which deliveries were created. */
const utcDay = z.iso
  .date({ abort: true, error: "must be a day, such as 2026-03-02" })
  .refine((date) => !date.startsWith("0000"), { message: "must be a date of the years 1 to 9999" })
  .meta({
    description: "The UTC day on which the deliveries were created.",
    examples: ["2026-03-02"],
  });

export const webhookStatementQuery = z.strictObject({ date: utcDay, ...pageQuery });
export type WebhookStatementQuery = z.infer<typeof webhookStatementQuery>;

const count = (description: string) => z.int().meta({ description });
const line = z.object({
  endpointId: idSchema("we"),
  committed: count("Deliveries that were created: one for each event and endpoint."),
  delivered: count("Those that the receiver has acknowledged."),
  dead: count("Those that are dead-lettered."),
  pending: count("Those that were not tried yet, or are being retried."),
  cancelled: count("Those that ended because the endpoint was deleted."),
});
export type WebhookStatementLine = z.infer<typeof line>;

/** `committed` = `delivered` + `dead` + `pending` + `cancelled`, in every line. */
export const webhookStatement = z
  .object({
    date: utcDay,
    data: z.array(line).meta({ description: "A line for each endpoint that got deliveries, newest first." }),
    ...pageEnd,
  })
  .meta({ id: "WebhookStatement", description: "What became of the deliveries of a day, by endpoint." });
export type WebhookStatement = z.infer<typeof webhookStatement>;
