import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, currency, maxAmountCents } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { rail } from "../../rails/rails.ts";
import { oneOrMany, pageOf, pageQuery, principal, timestamp } from "../shapes.ts";

const cents = z.int().min(0).max(maxAmountCents);

const requireApprovalForLedgerTransactions = z.boolean().meta({
  description:
    "Ledger transactions above `approvalThresholdCents` are created Pending, and posted by a principal with `orders:approve` who did not create them. Above it nobody reverses a transaction alone, and an inbound payment is assigned by two principals.",
});

export const approvalPolicy = z
  .strictObject({
    requireApprovalForAll: z.boolean().meta({ description: "Every order needs at least one approval." }),
    approvalThresholdCents: cents.meta({ description: "Orders above this amount need one approval." }),
    dualApprovalThresholdCents: cents.meta({
      description: "Orders above this amount need two approvals.",
    }),
    dualApprovalRails: z
      .array(rail)
      .max(6)
      .meta({ description: "Orders on these rails always need two approvals." }),
    allowSelfApproval: z
      .boolean()
      .meta({ description: "A maker may approve an order that needs only one approval." }),
    requireVerifiedCounterparty: z.boolean().meta({
      description:
        "Orders must name a verified counterparty by `counterpartyId`. Book transfers have no counterparty.",
    }),
    requireApprovalForLedgerTransactions: requireApprovalForLedgerTransactions.default(false),
    dailyLimitCents: cents
      .min(1)
      .nullable()
      .meta({ description: "The most that Credits may add up to per New York day. Null: no limit." }),
    approvalExpiresAfterHours: z
      .int()
      .min(1)
      .max(8_760)
      .meta({ description: "An order that waits longer for approval is cancelled." }),
  })
  .meta({
    id: "ApprovalPolicy",
    description:
      "How many approvals an order needs before it goes to its rail, and what else restricts orders.",
  });
export type ApprovalPolicy = z.infer<typeof approvalPolicy>;

/** PUT takes the fields that GET returns. One that callers of an earlier document don't know keeps its value. */
export const approvalPolicyPut = approvalPolicy
  .extend({
    requireApprovalForLedgerTransactions: requireApprovalForLedgerTransactions.optional().meta({
      description: "As in the policy. Default: as it is.",
    }),
  })
  .meta({ id: "ApprovalPolicyPut", description: "The whole policy that replaces the one in force." });
export type ApprovalPolicyPut = z.infer<typeof approvalPolicyPut>;

export const proposalStatus = namedEnum("PolicyProposalStatus", "What became of the proposal.", {
  Open: "Waits for another principal.",
  Approved: "Approved: the policy is in force.",
  Denied: "Denied: the policy did not change.",
  Superseded: "The policy changed in the meantime. Send the change again.",
});

/** A looser policy waits for another principal. */
export const policyProposal = z
  .object({
    id: idSchema("prop"),
    status: proposalStatus,
    policy: approvalPolicy.meta({ description: "The proposed policy." }),
    loosens: z
      .array(z.string())
      .meta({ description: "The fields that are looser than in the current policy." }),
    proposedBy: principal("The principal that proposed it."),
    proposedAt: timestamp.meta({ description: "When it was proposed." }),
    decidedBy: principal(
      "The principal that approved or denied it, or whose change superseded it.",
    ).nullable(),
    decidedAt: timestamp.nullable().meta({ description: "When it was approved, denied or superseded." }),
  })
  .meta({ id: "PolicyProposal", description: "A looser policy that needs a second principal's approval." });
export type PolicyProposal = z.infer<typeof policyProposal>;

export const policyProposalQuery = z.strictObject({ ...pageQuery, status: oneOrMany(proposalStatus) });
export const policyProposalPage = pageOf(policyProposal).meta({
  id: "PolicyProposalPage",
  description: "One page of proposed policies.",
});
/** The answer to a PUT that loosens: 202. */
export const policyProposedAnswer = z
  .object({ proposalId: idSchema("prop").meta({ description: "The proposal to approve or deny." }) })
  .meta({ id: "Proposed", description: "The policy is looser, so another principal must approve it." });

export const maxPreviewedOrders = 1_000;
export const maxPreviewEntries = 100;

const policyOutcome = namedEnum("PolicyOutcome", "What the PUT of the policy would do.", {
  Unchanged: "Nothing: the policy is as it is in force.",
  InForce: "It would be in force at once.",
  Proposed: "It is looser in a field: another principal would have to approve it.",
});

const policyChange = z.object({
  field: z.string().meta({ description: "The field of the policy." }),
  loosens: z.boolean().meta({ description: "True if something could pass that could not before." }),
  tightens: z.boolean().meta({ description: "True if something would be stopped that was not before." }),
  before: z.string().meta({ description: "What holds now, for a person." }),
  after: z.string().meta({ description: "What would hold, for a person." }),
});

const approvalsBefore = z.object({
  before: z.int().meta({ description: "Now." }),
  after: z.int().meta({ description: "With the policy in force." }),
});

const touchedOrder = z
  .object({
    id: idSchema("po"),
    rail,
    amountCents,
    currency,
    counterpartyName: z.string().nullable().meta({ description: "Who is paid, or who pays." }),
    required: approvalsBefore.meta({ description: "How many approvals it needs." }),
    missing: approvalsBefore.meta({ description: "How many of them it does not have." }),
    expiresAt: timestamp.nullable().meta({
      description: "When it would be cancelled without approvals, in the time of the book. Null: never.",
    }),
  })
  .meta({ id: "PolicyPreviewOrder", description: "A waiting order that the policy would touch." });
export type TouchedOrder = z.infer<typeof touchedOrder>;

const touchedOrders = (description: string) =>
  z
    .object({
      count: z.int().meta({ description: "How many." }),
      data: z
        .array(touchedOrder)
        .meta({ description: `Those that were created first, ${String(maxPreviewEntries)} at most.` }),
    })
    .meta({ description });

export const approvalPolicyPreview = z
  .object({
    outcome: policyOutcome,
    policy: approvalPolicy.meta({ description: "The policy as it would be stored." }),
    changes: z.array(policyChange).meta({ description: "The fields that would change." }),
    needMore: touchedOrders("Orders that would lack more approvals than now. None would lack fewer."),
    expireAtOnce: touchedOrders("Orders that would be cancelled at once, because they have waited longer."),
    examined: z.int().meta({
      description: `How many orders on their way to the hand-off were compared, at most ${maxPreviewedOrders.toLocaleString("en-US")}.`,
    }),
    isComplete: z.boolean().meta({ description: "False if there are more than were compared." }),
  })
  .meta({ id: "ApprovalPolicyPreview", description: "What a policy would change. Nothing was written." });
export type ApprovalPolicyPreview = z.infer<typeof approvalPolicyPreview>;
