/** A payment order's story: what the services that took part know of it, in one list. */
import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { scope } from "../scopes.ts";
import { timestamp } from "../shapes.ts";

/** The most entries of a timeline. */
export const maxTimelineEntries = 500;

export const timelineSource = namedEnum("TimelineSource", "Who knows what happened.", {
  Orders: "The payment order itself.",
  Ledger: "The ledger. Needs the scope `ledger:read`.",
  Rails: "The order's rail.",
  Webhooks: "The deliveries of webhooks. Needs the scope `webhooks:read`.",
});
export type TimelineSource = z.infer<typeof timelineSource>;

export const timelineKind = namedEnum("TimelineKind", "What happened.", {
  StatusChanged: "The order got another status, named in `status`.",
  ApprovalGiven: "`actor` approved it.",
  HoldPlaced: "The ledger held its money.",
  HoldSettled: "The ledger ended the hold and moved its money.",
  HoldReleased: "The ledger ended the hold. No money moved.",
  ReturnPosted: "The ledger gave back the money of a completed order.",
  SuspensePosted: "The ledger booked to Suspense what the bank moved against the order's status.",
  InstructionSubmitted: "It was handed to its rail.",
  InstructionAccepted: "The rail accepted it.",
  InstructionSettled: "The rail settled it.",
  InstructionFailed: "The rail rejected it, with `code`.",
  InstructionReturned: "The receiver's bank returned it, with `code`.",
  ChangeNotified: "The receiver's bank corrected its data, with `code`.",
  UnmatchedReturnReported: "A bank returned an entry that is none of yours, with `code` and `reference`.",
  PaymentSentBack: "The receiver sent the money back as a new payment, named by `reference`.",
  WebhookQueued:
    "An event of it was stored for a webhook endpoint. `status` is what has become of the delivery.",
});
export type TimelineKind = z.infer<typeof timelineKind>;

export const timelineEntry = z
  .object({
    at: timestamp.meta({ description: "When it happened, in the time of the book." }),
    source: timelineSource,
    kind: timelineKind,
    status: z
      .string()
      .nullable()
      .meta({ description: "The order's status after it, or the delivery's now." }),
    actor: z.string().nullable().meta({ description: "The principal or the service that did it." }),
    reason: z.string().nullable().meta({
      description:
        "Why, if a reason was given. Of an approval that does not count: its `notCountedReason` in the order.",
    }),
    code: z.string().nullable().meta({ description: "The rail's code, such as `R01`." }),
    reference: z.string().nullable().meta({ description: "The bank's reference or trace number." }),
    eventType: z.string().nullable().meta({ description: "The type of the webhook's event." }),
    ledgerTransactionId: idSchema("lt").nullable().meta({ description: "The transaction of the journal." }),
    sequence: z.int().nullable().meta({ description: "The journal's number in the book." }),
    webhookId: idSchema("wh").nullable().meta({ description: "The delivery." }),
    eventId: idSchema("evt").nullable().meta({ description: "The event that it delivers." }),
    endpointId: idSchema("we").nullable().meta({ description: "The endpoint that it is for." }),
  })
  .meta({ id: "TimelineEntry", description: "One thing that happened to a payment order." });
export type TimelineEntry = z.output<typeof timelineEntry>;

export const paymentOrderTimeline = z
  .object({
    paymentOrderId: idSchema("po"),
    data: z.array(timelineEntry).meta({
      description: "What happened, oldest first. What happened at one time is in the order of its causes.",
    }),
    truncated: z.boolean().meta({ description: "True if more happened than the first 500 entries." }),
    unavailable: z
      .array(timelineSource)
      .meta({ description: "Sources that did not answer: their entries are missing. Read it again." }),
    leftOut: z
      .array(z.object({ source: timelineSource, scope }))
      .meta({ description: "Sources that your scopes don't open, each with the scope that does." }),
  })
  .meta({ id: "PaymentOrderTimeline", description: "Everything that happened to a payment order." });
export type PaymentOrderTimeline = z.output<typeof paymentOrderTimeline>;
