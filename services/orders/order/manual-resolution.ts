import { Refusal } from "../../../contracts/errors.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import { applyEvent, type IncomingEvent } from "./apply-event.ts";
import type { Transition } from "./transition.ts";
import type { BookContext } from "./book-context.ts";
import type { PaymentOrder } from "./payment-order.ts";

/** What one operator reports about an order that is stuck at its rail. */
export interface ResolutionVote {
  readonly as: "settled" | "failed";
  readonly by: string;
  readonly evidence: string;
  readonly at: Date;
}

/**
 * Only an order that is at its rail can be resolved: before the hand-off there is nothing to resolve, and people must
 * not overrule the rail's answer. Refusals: `invalid_state_transition`.
 */
export function refuseUnlessAtRail({ phase, status }: PaymentOrder): void {
  if (phase === "HandingOff" || phase === "InFlight") return;
  const detail =
    status === "Processing"
      ? "The rail has already answered for this order, so there is nothing to resolve."
      : `This order is ${status}. Only an order that is at its rail can be resolved.`;
  throw new Refusal("invalid_state_transition", detail, {
    context: { currentStatus: status, allowedStatuses: ["Processing"] },
  });
}

/**
 * An order whose money its receiver has sent back was paid, whatever its rail says: the release of its hold would give
 * the payer the money twice. Refusals: `invalid_state_transition`.
 */
export function refuseToFailIfSentBack(
  { status, progress: { rail } }: PaymentOrder,
  as: ResolutionVote["as"],
): void {
  if (rail.sentBackBy === undefined || as === "settled") return;
  throw new Refusal(
    "invalid_state_transition",
    `The receiver has sent the money back (${rail.sentBackBy}), so the bank has paid. Resolve the order as settled.`,
    { context: { currentStatus: status, allowedStatuses: [] } },
  );
}

/** What an operator has seen counts for a day: the bank's records of the next day may show something else. */
const confirmedWithinMs = 24 * 3_600_000;

/**
 * True if `vote` agrees with the latest vote, which another operator cast at most 24 hours before: it resolves the
 * order. A vote for the other outcome, or after 24 hours, is a new proposal. Refusals: `self_approval_not_allowed` if
 * an operator confirms their own vote within 24 hours.
 */
export function isConfirmedBy(
  last: ResolutionVote | undefined,
  vote: ResolutionVote,
): last is ResolutionVote {
  if (last === undefined || last.as !== vote.as) return false;
  if (vote.at.getTime() - last.at.getTime() > confirmedWithinMs) return false;
  if (isSamePrincipal(last.by, vote.by)) {
    throw new Refusal(
      "self_approval_not_allowed",
      `${vote.by} proposed this, so another operator must confirm it.`,
    );
  }
  return true;
}

/** Moves the order as the rail's own event would have. The history names both operators. */
export function resolve(
  order: PaymentOrder,
  first: ResolutionVote,
  second: ResolutionVote,
  context: BookContext,
): Transition {
  const { as, evidence } = second;
  const resolution = { as, by: [first.by, second.by], evidence };
  const failure = {
    code: "resolved_as_failed",
    message: "The rail gave no answer. The bank's records show that the payment was not made.",
  };
  const event: IncomingEvent =
    as === "settled"
      ? { trigger: "InstructionSettled", detail: {} }
      : { trigger: "InstructionFailed", detail: { failure } };
  const { progress } = order;
  const resolved = { ...order, progress: { ...progress, ending: { ...progress.ending, resolution } } };
  const { reception, transition } = applyEvent(resolved, event, context);
  if (reception !== "Applied") throw new Error(`order ${order.id} could not be resolved: ${reception}`);
  return transition;
}
