import type { ApprovalPolicy } from "../../../typescript/types.gen.ts";
import { money } from "../../parts/values/money.ts";

/** The form: amounts as they are typed. An empty daily limit is none. */
export interface Draft extends Omit<ApprovalPolicy, AmountField | "approvalExpiresAfterHours"> {
  readonly approvalThresholdCents: string;
  readonly dualApprovalThresholdCents: string;
  readonly dailyLimitCents: string;
  readonly approvalExpiresAfterHours: string;
}
export type AmountField = "approvalThresholdCents" | "dualApprovalThresholdCents" | "dailyLimitCents";

const typed = (cents: number | null) => (cents === null ? "" : money(cents).replace("$", ""));

export function draftOf(policy: ApprovalPolicy): Draft {
  return {
    ...policy,
    approvalThresholdCents: typed(policy.approvalThresholdCents),
    dualApprovalThresholdCents: typed(policy.dualApprovalThresholdCents),
    dailyLimitCents: typed(policy.dailyLimitCents),
    approvalExpiresAfterHours: String(policy.approvalExpiresAfterHours),
  };
}

/** Cents of `10,000.00`; undefined for a text that is no amount, such as `12,50`. Nothing is rounded. */
export function centsOf(text: string): number | undefined {
  const amount = /^\$?(\d{1,10}|\d{1,3}(?:,\d{3}){1,2}|\d(?:,\d{3}){3})(?:\.(\d{1,2}))?$/;
  const [, whole, part = ""] = amount.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  return Number(whole.replaceAll(",", "")) * 100 + Number(part.padEnd(2, "0"));
}

/** The policy that the form describes; undefined while a field can't be read. */
export function policyOf(draft: Draft): ApprovalPolicy | undefined {
  const approvalThresholdCents = centsOf(draft.approvalThresholdCents);
  const dualApprovalThresholdCents = centsOf(draft.dualApprovalThresholdCents);
  const dailyLimitCents = draft.dailyLimitCents.trim() === "" ? null : centsOf(draft.dailyLimitCents);
  const approvalExpiresAfterHours = Number(draft.approvalExpiresAfterHours);
  if (
    approvalThresholdCents === undefined ||
    dualApprovalThresholdCents === undefined ||
    dailyLimitCents === undefined ||
    !Number.isInteger(approvalExpiresAfterHours) ||
    approvalExpiresAfterHours < 1
  )
    return undefined;
  const amounts = { approvalThresholdCents, dualApprovalThresholdCents, dailyLimitCents };
  return { ...draft, ...amounts, approvalExpiresAfterHours };
}
