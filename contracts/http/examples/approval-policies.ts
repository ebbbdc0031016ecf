import type { z } from "zod";
import type {
  approvalPolicy,
  approvalPolicyPreview,
  approvalPolicyPut,
  policyProposal,
  policyProposedAnswer,
} from "../payments/approval-policies.ts";
import { at, ids } from "./ids.ts";

const policy = {
  requireApprovalForAll: false,
  approvalThresholdCents: 1_000_000,
  dualApprovalThresholdCents: 5_000_000,
  dualApprovalRails: ["Wire"],
  allowSelfApproval: false,
  requireVerifiedCounterparty: false,
  requireApprovalForLedgerTransactions: false,
  dailyLimitCents: null,
  approvalExpiresAfterHours: 72,
} satisfies z.output<typeof approvalPolicy>;

export const policyExamples = {
  ApprovalPolicy: policy,
  ApprovalPolicyPut: policy satisfies z.input<typeof approvalPolicyPut>,
  ApprovalPolicyPreview: {
    outcome: "InForce",
    policy: { ...policy, approvalThresholdCents: 100_000 },
    changes: [
      {
        field: "approvalThresholdCents",
        loosens: false,
        tightens: true,
        before: "Orders above $10,000.00 need one approval.",
        after: "Orders above $1,000.00 need one approval.",
      },
    ],
    needMore: {
      count: 1,
      data: [
        {
          id: ids.order,
          rail: "Ach",
          amountCents: 250_000,
          currency: "USD",
          counterpartyName: "Ada Example",
          required: { before: 0, after: 1 },
          missing: { before: 0, after: 1 },
          expiresAt: null,
        },
      ],
    },
    expireAtOnce: { count: 0, data: [] },
    examined: 1,
    isComplete: true,
  } satisfies z.output<typeof approvalPolicyPreview>,
  PolicyProposal: {
    id: ids.proposal,
    status: "Open",
    policy: { ...policy, approvalThresholdCents: 2_000_000 },
    loosens: ["approvalThresholdCents"],
    proposedBy: "controller",
    proposedAt: at(0),
    decidedBy: null,
    decidedAt: null,
  } satisfies z.output<typeof policyProposal>,
  Proposed: { proposalId: ids.proposal } satisfies z.output<typeof policyProposedAnswer>,
};
