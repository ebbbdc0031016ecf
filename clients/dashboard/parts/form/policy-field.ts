import type { ApprovalPolicy } from "../../../typescript/types.gen.ts";
import { orderTexts } from "../../texts/orders.ts";
import { policyTexts } from "../../texts/policy.ts";
import { money } from "../values/money.ts";

/** A field of the approval policy as its form names it; a field that the page doesn't know by its own name. */
export function policyFieldInWords(field: string): string {
  const { fields } = policyTexts;
  return field in fields ? fields[field as keyof typeof fields] : field;
}

/** The fields in which two policies differ, each with its value in the second: `Daily limit: $5,000.00`. */
export function policyChangesInWords(before: ApprovalPolicy, after: ApprovalPolicy): string[] {
  return Object.keys(after)
    .map((field) => [field, policyValueInWords(before, field), policyValueInWords(after, field)] as const)
    .filter(([, was, becomes]) => was !== becomes)
    .map(([field, , becomes]) => `${policyFieldInWords(field)}: ${becomes}`);
}

/** What a policy says in one field, as its form shows it. */
export function policyValueInWords(policy: ApprovalPolicy, field: string): string {
  const { fields, values } = policyTexts;
  if (field === "dualApprovalRails")
    return policy.dualApprovalRails.map((rail) => orderTexts.rails[rail]).join(", ") || values.none;
  if (field === "approvalExpiresAfterHours") return `${String(policy[field])} ${fields.hours}`;
  const value = field in policy ? policy[field as keyof ApprovalPolicy] : null;
  if (typeof value === "number") return money(value);
  if (typeof value === "boolean") return value ? values.yes : values.no;
  return field === "dailyLimitCents" ? fields.noLimit : values.none;
}
