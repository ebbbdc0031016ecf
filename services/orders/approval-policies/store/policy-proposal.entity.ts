import { defineEntity } from "@mikro-orm/core";
import type { PolicyProposal } from "../../../../contracts/http/payments/approval-policies.ts";
import type { ApprovalPolicy } from "../../order/approval-policy.ts";

const p = defineEntity.properties;

export const ProposalEntity = defineEntity({
  name: "PolicyProposal",
  tableName: "policy_proposal",
  properties: {
    book: p.uuid().name("book_id").primary(),
    id: p.uuid().primary(),
    status: p.text().$type<PolicyProposal["status"]>(),
    policy: p.json<ApprovalPolicy>(),
    loosens: p.array(),
    againstVersion: p.integer(),
    proposedBy: p.text(),
    proposedAt: p.datetime(),
    decidedBy: p.text().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
  },
});
