import { Refusal } from "../../../contracts/errors.ts";
import { type Transition, applyEvent } from "./transition.ts";
import type { BookContext } from "./release-gate.ts";
import type { PaymentOrder } from "./payment-order.ts";

/** What one operator says became of an order that is stuck at its rail. */
export interface ResolutionVote {
  readonly as: "settled" | "failed";
  readonly by: string;
  readonly evidence: string;
  readonly at: Date;
}

/**
 * Refuses a word on an order that its rail doesn't have: before the hand-off there is nothing to resolve, and what the
 * rail has answered is not for people to say. `invalid_state_transition`.
 */
export function refuseUnlessAtRail({ phase, status }: PaymentOrder): void {
  if (phase === "HandingOff" || phase === "InFlight") return;
  const detail =
    status === "Processing"
      ? "The rail has answered for this order already. Nothing is to be resolved."
      : `This order is ${status}: only one that is at its rail can be resolved.`;
  throw new Refusal("invalid_state_transition", detail, {
    context: { currentStatus: status, allowedStatuses: ["Processing"] },
  });
}

/**
 * Whether a word resolves the order: it says what another operator's last word said. A different word is a new
 * proposal in the old one's place. Refused: `self_approval_not_allowed` for one's own word said again.
 */
export function isConfirmedBy(
  last: ResolutionVote | undefined,
  word: ResolutionVote,
): last is ResolutionVote {
  if (last === undefined || last.as !== word.as) return false;
  if (last.by === word.by) {
    throw new Refusal("self_approval_not_allowed", `${word.by} proposed this. Another operator confirms it.`);
  }
  return true;
}

/** Moves the order as its rail's own word would have, along the same table; the history names both operators. */
export function resolve(
  advance: Transition,
  first: ResolutionVote,
  second: ResolutionVote,
  context: BookContext,
): void {
  const { order } = advance;
  const { as, evidence } = second;
  const resolution = { as, by: [first.by, second.by], evidence };
  advance.order = { ...order, progress: { ...order.progress, resolution } };
  const failure = {
    code: "resolved_as_failed",
    message: "The rail gave no answer; its bank's records show that the payment was not made",
  };
  const reception =
    as === "settled"
      ? applyEvent(advance, { trigger: "InstructionSettled", detail: {} }, context)
      : applyEvent(advance, { trigger: "InstructionFailed", detail: { failure } }, context);
  if (reception !== "Applied") throw new Error(`order ${order.id} could not be resolved: ${reception}`);
}
