import type { ApprovalNotCountedReason } from "../../../contracts/http/payments/payment-order-parts.ts";
import { type Rail, rails } from "../../../contracts/rails/rails.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import { type ApprovalPolicy, approvalReasons, approvalsRequired } from "./approval-policy.ts";
import type { Approval, Approvals, OrderTerms, PaymentOrder } from "./payment-order.ts";

type Requirements = Pick<Approvals, "required" | "makersMayApprove" | "reasons">;

/** The approvals that a policy requires of an order. Set at submission; later only raised. */
export function requirementsUnder(
  terms: Pick<OrderTerms, "rail" | "amountCents">,
  policy: ApprovalPolicy,
): Requirements {
  const reasons = approvalReasons(terms, policy);
  return {
    required: approvalsRequired(terms, policy),
    makersMayApprove: policy.allowSelfApproval,
    ...(reasons.length === 0 ? {} : { reasons }),
  };
}

/** What a policy requires of every order of a rail with an amount above `aboveCents` and up to `upToCents`. */
export interface RequirementsOfRange extends Requirements {
  readonly rail: Rail;
  readonly aboveCents: number;
  readonly upToCents: number;
}

/** The requirements of every possible order: they change with the rail, and above each threshold. */
export function requirementsByRange(policy: ApprovalPolicy): RequirementsOfRange[] {
  const { approvalThresholdCents, dualApprovalThresholdCents } = policy;
  const bounds = [0, approvalThresholdCents, dualApprovalThresholdCents, Number.MAX_SAFE_INTEGER];
  const ranges = bounds
    .toSorted((a, b) => a - b)
    .flatMap((upToCents, index, sorted) => {
      const aboveCents = sorted[index - 1];
      return aboveCents === undefined || aboveCents === upToCents ? [] : [{ aboveCents, upToCents }];
    });
  return rails.flatMap((rail) =>
    ranges.map((range) => ({
      ...requirementsUnder({ rail, amountCents: range.upToCents }, policy),
      ...range,
      rail,
    })),
  );
}

/** The requirements of an order that a stricter policy raises; empty if it raises none. It never lowers any. */
export function raisedRequirements(
  { terms, progress: { approvals } }: PaymentOrder,
  policy: ApprovalPolicy,
  now: Date,
): Partial<Approvals> {
  const underPolicy = requirementsUnder(terms, policy);
  const needsMore = underPolicy.required > approvals.required;
  const makersMayApprove = approvals.makersMayApprove && underPolicy.makersMayApprove;
  if (!needsMore && makersMayApprove === approvals.makersMayApprove) return {};
  const { required, reasons } = needsMore ? underPolicy : approvals;
  return {
    required,
    ...(reasons === undefined ? {} : { reasons }),
    makersMayApprove,
    raisedAt: now.toISOString(),
  };
}

/** Since when and until when a principal may approve; null where there is no limit. */
export interface ApprovalRight {
  readonly since: Date | null;
  readonly until: Date | null;
}

/** What an order's approvals depend on besides the order. */
interface ApprovalContext {
  readonly now: Date;
  readonly realNow: Date;
  readonly policy: ApprovalPolicy;
  readonly approvalRights: ReadonlyMap<string, ApprovalRight>;
}

/**
 * What has changed about an order's approvals since they were stored: what a stricter policy raises, and which of them
 * are void, because their principal lost the right to approve, or again count. Empty if nothing has.
 */
export function changedApprovals(order: PaymentOrder, context: ApprovalContext): Partial<Approvals> {
  const { given } = order.progress.approvals;
  const raised = raisedRequirements(order, context.policy, context.now);
  const current = given.map((approval) => asItCounts(approval, context));
  if (current.every((approval, index) => approval === given[index])) return raised;
  const lost = current.some(({ isVoid }, index) => isVoid === true && given[index]?.isVoid !== true);
  return { ...raised, given: current, ...(lost ? { raisedAt: context.now.toISOString() } : {}) };
}

function asItCounts(approval: Approval, context: ApprovalContext): Approval {
  const since = context.approvalRights.get(approval.principal)?.since ?? null;
  const isOfThisRight = since === null || Date.parse(approval.realAt ?? approval.at) >= since.getTime();
  const counts = isOfThisRight && mayApproveNow(approval.principal, context);
  if (counts === (approval.isVoid !== true)) return approval;
  const { isVoid: _isVoid, ...valid } = approval;
  return counts ? valid : { ...valid, isVoid: true };
}

function mayApproveNow(principal: string, { realNow, approvalRights }: ApprovalContext): boolean {
  const until = approvalRights.get(principal)?.until ?? null;
  return until === null || realNow < until;
}

/**
 * Whether a further approval of the principal would be its second. A void one can be repeated if the principal may
 * approve again.
 */
export function hasApproved({ given }: Approvals, principal: string, context: ApprovalContext): boolean {
  return given.some(
    (approval) =>
      isSamePrincipal(approval.principal, principal) &&
      (approval.isVoid !== true || !mayApproveNow(principal, context)),
  );
}

/** An approval, and why it does not count; null if it counts. */
interface EvaluatedApproval {
  readonly approval: Approval;
  readonly notCountedReason: ApprovalNotCountedReason | null;
}

/**
 * Which approvals count: one per principal that may still approve, each for the terms as they are. A maker's own
 * approval counts only if one is enough and every policy since submission has allowed it; never as one of two.
 */
export function evaluatedApprovals(approvals: Approvals): readonly EvaluatedApproval[] {
  const counted: string[] = [];
  return approvals.given.map((approval) => {
    const notCountedReason = reasonNotToCount(approval, approvals, counted);
    if (notCountedReason === null) counted.push(approval.principal);
    return { approval, notCountedReason };
  });
}

function reasonNotToCount(
  { principal, orderHash, isVoid }: Approval,
  approvals: Approvals,
  counted: readonly string[],
): ApprovalNotCountedReason | null {
  if (isVoid === true) return "RightLost";
  if (orderHash !== approvals.orderHash) return "OrderChanged";
  if (isOneOf(approvals.makers, principal) && !makerApprovalCounts(approvals)) return "GivenByMaker";
  return isOneOf(counted, principal) ? "Repeated" : null;
}

/** The approvals that count, oldest first. */
export function countingApprovals(approvals: Approvals): readonly Approval[] {
  return evaluatedApprovals(approvals).flatMap(({ approval, notCountedReason }) =>
    notCountedReason === null ? [approval] : [],
  );
}

/** Whether the principal counts as one of these: a name that looks like another is the same person's. */
export function isOneOf(principals: readonly string[], principal: string): boolean {
  return principals.some((each) => isSamePrincipal(each, principal));
}

export function makerApprovalCounts({ required, makersMayApprove }: Requirements): boolean {
  return makersMayApprove && required < 2;
}

/** Whether the order still needs an approval. */
export function lacksApprovals(approvals: Approvals): boolean {
  return countingApprovals(approvals).length < approvals.required;
}

export function withApprovals(order: PaymentOrder, change: Partial<Approvals>): PaymentOrder {
  const { progress } = order;
  return { ...order, progress: { ...progress, approvals: { ...progress.approvals, ...change } } };
}

/** The order with this principal among its makers. */
export function madeBy(principal: string, order: PaymentOrder): PaymentOrder {
  const { makers } = order.progress.approvals;
  return makers.includes(principal) ? order : withApprovals(order, { makers: [...makers, principal] });
}
