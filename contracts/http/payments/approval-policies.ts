import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { maxAmountCents } from "../../money.ts";
import { rail } from "../../rails/rails.ts";
import { pageOf, pageQuery, timestamp } from "../shapes.ts";

const cents = z.int().min(0).max(maxAmountCents);

/** What PUT takes is what GET gives, every member of it. */
export const approvalPolicy = z
  .strictObject({
    requireApprovalForAll: z.boolean().meta({ description: "Every order needs at least one approval." }),
    approvalThresholdCents: cents.meta({ description: "Above it (not at it) one principal must approve." }),
    dualApprovalThresholdCents: cents.meta({ description: "Above it (not at it) two principals must." }),
    dualApprovalRails: z.array(rail).max(6).meta({ description: "Rails that always need two principals." }),
    allowSelfApproval: z
      .boolean()
      .meta({ description: "A maker's own approval counts, where one approval is enough." }),
    requireVerifiedCounterparty: z.boolean().meta({
      description:
        "Orders must name a verified counterparty; inline details are refused. Book transfers have none.",
    }),
    dailyLimitCents: cents
      .min(1)
      .nullable()
      .meta({ description: "Credits submitted per New York day; null: no limit." }),
    approvalExpiresAfterHours: z
      .int()
      .min(1)
      .max(8_760)
      .meta({ description: "An order that waits longer for approval is cancelled." }),
  })
  .meta({ id: "ApprovalPolicy" });
export type ApprovalPolicy = z.infer<typeof approvalPolicy>;

export const proposalStatus = z.enum(["Open", "Approved", "Denied", "Superseded"]);

/** A looser policy waits for another principal. */
export const policyProposal = z
  .object({
    id: idSchema("prop"),
    status: proposalStatus,
    policy: approvalPolicy.meta({ description: "What would hold." }),
    loosens: z.array(z.string()).meta({
      description:
        "The members that it loosens. Whatever changes the policy in force supersedes what was proposed against it.",
    }),
    proposedBy: z.string(),
    proposedAt: timestamp,
    decidedBy: z.string().nullable(),
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: "PolicyProposal" });
export type PolicyProposal = z.infer<typeof policyProposal>;

export const policyProposalQuery = z.strictObject({ ...pageQuery, status: proposalStatus.optional() });
export const policyProposalPage = pageOf(policyProposal).meta({ id: "PolicyProposalPage" });
/** The answer to a PUT that loosens: 202. */
export const proposed = z.object({ proposalId: idSchema("prop") }).meta({ id: "Proposed" });
