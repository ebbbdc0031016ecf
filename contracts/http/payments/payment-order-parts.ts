/** Parts of a payment order, as answers and events show them. */
import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { codesByReason } from "../../rails/return-codes.ts";
import { principal, timestamp } from "../shapes.ts";

export const orderStatus = namedEnum("PaymentOrderStatus", "Where the order is in its life.", {
  Draft: "Not submitted. Its fields can still change.",
  Submitted: "Submitted. The ledger is about to hold its money.",
  Pending: "Its money is held. It waits for approvals or for its rail's window.",
  Processing: "Handed to its rail.",
  Completed: "The money has moved. Final, except that a late return may be added.",
  Failed: "It could not be paid. No money is held. Final.",
  Returned: "The bank returned the money. Final.",
  Cancelled: "Cancelled, denied or expired. No money is held. Final.",
});
/** What a Pending order waits for. */
export const awaiting = namedEnum("PaymentOrderAwaiting", "What a Pending order waits for.", {
  Approval: "Approvals. In a frozen book also the end of the freeze.",
  Window: "Its rail's window, or its effective date.",
});
export const orderStatuses = orderStatus.options;
export type OrderStatus = z.infer<typeof orderStatus>;

export const basis = namedEnum("Basis", "Whether the amount is a real figure.", {
  Actual: "A real figure.",
  Demo: "A figure from demo data. It can be stored, but not submitted or posted.",
  Missing: "An input is still missing. It can be stored, but not submitted or posted.",
});

const returnReason = namedEnum(
  "ReturnReason",
  "The return code in words.",
  Object.fromEntries(
    Object.entries(codesByReason).map(([reason, codes]) => [
      reason,
      codes.length === 0 ? "A code that is not in this list." : `Return code ${codes.join(", ")}.`,
    ]),
  ),
);

export const statusChange = z.object({
  from: orderStatus.nullable().meta({ description: "The status before. Null in the first entry." }),
  to: orderStatus.meta({ description: "The status after." }),
  at: timestamp.meta({ description: "When it changed." }),
  actor: principal("The principal or the service that changed it."),
  reason: z.string().nullable().meta({ description: "Why, if a reason was given." }),
});

export const paymentReturn = z.object({
  id: idSchema("ret"),
  code: z.string().meta({ description: "The rail's return code, such as `R01`." }),
  reason: returnReason,
  receivedAt: timestamp.meta({ description: "When the return arrived." }),
  late: z.boolean().meta({ description: "True if it arrived after completion. The order stays Completed." }),
  afterWindow: z.boolean().optional().meta({
    description: "True if the window of its code was over. Your bank may dishonor such a return.",
  }),
});

const cutoffReason = namedEnum("CutoffReason", "Why the order missed today's window.", {
  AfterCutoff: "It was submitted after the cutoff.",
  Weekend: "The rail is closed at weekends.",
  Holiday: "The rail is closed on this holiday.",
  ApprovedLate: "It was approved after the cutoff.",
});

export const cutoff = z.object({
  missed: z.boolean().meta({ description: "True if it missed the cutoff and waits for the next window." }),
  cutoffAt: timestamp.nullable().meta({ description: "The cutoff that counts for the order." }),
  nextWindowOpensAt: timestamp.nullable().meta({ description: "When the rail next takes orders." }),
  reason: cutoffReason.nullable().meta({ description: "Why the window was missed." }),
});

export const failure = z.object({
  code: z.string().meta({ description: "For programs, such as `insufficient_funds`." }),
  message: z.string().meta({ description: "For a person." }),
});

const movementKind = namedEnum("UnexpectedMovement", "What the bank did.", {
  Settlement: "It settled an order that had failed.",
  Return: "It returned the money once more.",
});

export const strayMovement = z.object({
  movement: movementKind,
  returnCode: z.string().nullable().meta({ description: "The return's code. Null for a settlement." }),
  ledgerTransactionId: idSchema("lt").meta({ description: "The transaction that booked it to Suspense." }),
  at: timestamp.meta({ description: "When the bank reported it." }),
});

const approvalRule = namedEnum("ApprovalRule", "The field of the approval policy that asks for approvals.", {
  dualApprovalRails: "The order's rail needs two approvals.",
  dualApprovalThresholdCents: "The amount is above the threshold for two approvals.",
  requireApprovalForAll: "Every order needs an approval.",
  approvalThresholdCents: "The amount is above the threshold for one approval.",
});

export const approvalReason = z.object({
  rule: approvalRule,
  approvals: z.int().meta({ description: "How many approvals the rule asks for." }),
  thresholdCents: z
    .int()
    .nullable()
    .meta({ description: "The threshold that the amount exceeded. Null for a rule without one." }),
  detail: z.string().meta({ description: "For a person, such as `Orders on Wire need two approvals.`" }),
});

/** What would happen if the caller approved now. */
export const approvalOfCaller = z.object({
  allowed: z.boolean().meta({ description: "True if your approval would be recorded." }),
  code: z
    .string()
    .nullable()
    .meta({ description: "The error code that you would get, such as `self_approval_not_allowed`." }),
});

const approvalNotCountedReason = namedEnum(
  "ApprovalNotCountedReason",
  "Why an approval that was given does not count.",
  {
    RightLost: "Its principal has lost the right to approve since.",
    OrderChanged: "It was given for other terms than those that the order has now.",
    GivenByMaker:
      "Its principal is a maker of the order, and the policy does not let makers approve it, or it needs two approvals.",
    Repeated: "An earlier approval of the same principal counts.",
  },
);
export type ApprovalNotCountedReason = z.infer<typeof approvalNotCountedReason>;

const approvalOutcome = namedEnum("ApprovalOutcome", "How an order that needed approvals was decided.", {
  Approved: "It got every approval that it needed.",
  Denied: "An approver denied it.",
  Cancelled: "It was cancelled while it waited.",
  Expired: "Nobody approved it in time.",
});
export type ApprovalOutcome = z.infer<typeof approvalOutcome>;

export const approvalDecision = z.object({
  outcome: approvalOutcome,
  decidedBy: principal("Who gave the last approval, denied or cancelled it. Null if it expired.").nullable(),
  decidedAt: timestamp.meta({ description: "When it was decided, in the time of the book." }),
});

export const approvalState = z.object({
  required: z.int().meta({
    description: "How many approvals it needs: 0, 1 or 2. Computed at submission, and only ever raised.",
  }),
  received: z.int().meta({ description: "How many approvals it has that count." }),
  approvals: z
    .array(
      z.object({
        principal: principal("Who approved."),
        at: timestamp.meta({ description: "When they approved." }),
        // The defaults are for answers that were stored before the fields were added.
        counts: z.boolean().default(true).meta({
          description:
            "True if it is one of the `received`. The order is handed off once `required` approvals count.",
        }),
        notCountedReason: approvalNotCountedReason
          .nullable()
          .default(null)
          .meta({ description: "Why it does not count. Null if it counts." }),
      }),
    )
    .meta({
      description: "All approvals that were given, oldest first, also those that don't count any more.",
    }),
  orderHash: z
    .string()
    .nullable()
    .meta({ description: "SHA-256 of the fields as submitted: what was approved. Null in a Draft." }),
  // The defaults are for answers that were stored before the fields were added.
  makers: z.array(principal("A maker.")).default([]).meta({
    description:
      "Who counts as its maker: they created, edited or submitted it, or made the obligation that it pays. Their approval doesn't count, unless the policy lets makers approve.",
  }),
  reasons: z.array(approvalReason).default([]).meta({
    description:
      "Why it needs `required` approvals: the rules of the policy that ask for as many. Empty if it needs none.",
  }),
  expiresAt: timestamp.nullable().default(null).meta({
    description:
      "When it is cancelled if it still lacks approvals, in the time of the book. A change of the policy can move it. Shown when you read one order that waits for approval, and in the inbox; else null.",
  }),
  mine: approvalOfCaller.nullable().default(null).meta({
    description:
      "What would happen if you approved it now. Shown when you read one order that waits for approval, and in the inbox; else null.",
  }),
  decision: approvalDecision.nullable().default(null).meta({
    description:
      "How it was decided. Null while it waits, if it needs no approval, and in orders that were decided before this field was added.",
  }),
});
