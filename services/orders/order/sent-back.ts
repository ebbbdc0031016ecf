import type { InboundPaymentId } from "../../../contracts/ids/ids.ts";
import type { BookContext } from "./book-context.ts";
import type { PaymentOrder, Progress } from "./payment-order.ts";
import { dueAfter } from "./phase-timeouts.ts";

/** What the ledger says of a payment by which an order's receiver sent the money back. */
export interface SentBack {
  readonly inboundPaymentId: InboundPaymentId;
  /** The ledger has not released the order's hold, because of this payment. */
  readonly isHoldKept: boolean;
}

/**
 * Returns the order with that payment; of several, the first one stays. The bank must have paid: otherwise the receiver
 * had nothing to send back. So an order whose hold the ledger keeps goes back to its rail, and a person decides
 * (`PaidAfterAll` in apply-event.ts).
 */
export function withSentBack(
  order: PaymentOrder,
  { inboundPaymentId, isHoldKept }: SentBack,
  context: BookContext,
): PaymentOrder {
  const { rail } = order.progress;
  const isBackAtRail = isHoldKept && releasesAsUnpaid(order);
  if (rail.sentBackBy !== undefined && !isBackAtRail) return order;
  const progress = {
    ...order.progress,
    rail: { ...rail, sentBackBy: rail.sentBackBy ?? inboundPaymentId },
  };
  const shown = { ...order, updatedAt: context.realNow, progress };
  if (!isBackAtRail) return shown;
  const inFlight = { ...shown, phase: "InFlight" as const, progress: withoutRelease(progress) };
  return { ...inFlight, ...dueAfter(inFlight, 0, context) };
}

/** True if the order's hold is being released because the bank says that it did not pay, and nothing had settled. */
export function releasesAsUnpaid({ phase, progress: { rail } }: PaymentOrder): boolean {
  return phase === "ReleasingAsFailed" || (phase === "ReleasingAsReturned" && rail.settledAt === null);
}

/** As before the bank's event. The event's number stays, so that a repeat of it changes nothing. */
function withoutRelease(progress: Progress): Progress {
  const { ReleaseHold: _, ...sentAt } = progress.ledger.sentAt;
  return {
    ...progress,
    applied: progress.applied.filter(
      (trigger) => trigger !== "InstructionFailed" && trigger !== "InstructionReturned",
    ),
    ledger: { ...progress.ledger, sentAt },
    rail: { ...progress.rail, return: null },
    ending: { ...progress.ending, failure: null, resolution: null },
    timers: { ...progress.timers, timeoutCount: 0 },
  };
}
