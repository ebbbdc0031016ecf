import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import { codesFor } from "../../../../contracts/rails/return-codes.ts";
import type { CorrectedData } from "./instruction.ts";
import { railReferenceOf, referenceText, unmatchedTraceOf } from "./rail-references.ts";
import { defaultRejectCode, defaultReturnCode, failedWith, type Step } from "./step.ts";
import { later, type Timetable } from "./timetable.ts";

/** A fault of a payment that the rail has got. A null code is the usual one of the rail and direction. */
export type FaultAtRail =
  | {
      readonly kind: "Return" | "LateReturn" | "Reject" | "OutOfOrder" | "DuplicateReturn";
      readonly code: string | null;
    }
  | { readonly kind: "Timeout"; readonly then: "Settle" | "Fail" }
  | { readonly kind: "LostAcknowledgement" | "DuplicateFacts" }
  | { readonly kind: "Delay"; readonly delaySeconds: number }
  | { readonly kind: "NoticeOfChange"; readonly code: string; readonly correctedData: CorrectedData }
  /** `chance` decides the references: the same in every run. */
  | { readonly kind: "UnmatchedReturn"; readonly code: string | null; readonly chance: string }
  | { readonly kind: "SentBack"; readonly chance: string };

/** What a tester has a rail do wrong with a payment. */
export type Fault =
  | FaultAtRail
  /** The instruction gets lost. Sent again, it arrives. */
  | { readonly kind: "Timeout"; readonly then: "NeverArrived" }
  /** The rail takes nothing until the outage ends. */
  | { readonly kind: "Outage" };

export function isAtRail(fault: Fault): fault is FaultAtRail {
  return fault.kind !== "Outage" && !(fault.kind === "Timeout" && fault.then === "NeverArrived");
}

/** What of a payment decides its faults. */
export interface FaultyPayment {
  readonly rail: Rail;
  readonly direction: OrderDirection;
}

/**
 * Whether the rail can do that to the payment: another rail's code can't happen to it.
 * @param bankingDate `YYYY-MM-DD` in the book: codes that begin later do not exist yet.
 */
export function isPossible(fault: Fault, { rail, direction }: FaultyPayment, bankingDate: string): boolean {
  if (rail === "Book") return false;
  switch (fault.kind) {
    case "Return":
    case "LateReturn":
    case "OutOfOrder":
    case "DuplicateReturn":
    case "UnmatchedReturn": {
      const codes = codesFor(rail, direction, "return", bankingDate);
      return codes.includes(fault.code ?? defaultReturnCode(direction));
    }
    case "Reject": {
      const codes = codesFor(rail, direction, "fail");
      return fault.code === null || codes.includes(fault.code);
    }
    case "NoticeOfChange":
      return rail === "Ach" || rail === "SameDayAch";
    case "SentBack":
      return rail === "Wire";
    default:
      return true;
  }
}

/** The steps of a payment that meets a fault, in the order in which they happen. */
export function stepsOf(fault: FaultAtRail, payment: FaultyPayment, timetable: Timetable): Step[] {
  const { now, settlesAt, returnsAt, lateReturnAt, gapMs } = timetable;
  const accepted: Step = { event: { kind: "Accepted" }, dueAt: now };
  const settled: Step = { event: { kind: "Settled" }, dueAt: settlesAt };
  const code = codeOf(fault, payment);
  const returned = { kind: "Returned", code } as const;
  switch (fault.kind) {
    case "Return":
      return [accepted, { event: returned, dueAt: returnsAt }];
    case "LateReturn":
      return [accepted, settled, { event: returned, dueAt: lateReturnAt(code, settlesAt) }];
    case "Reject":
      return [{ event: failedWith(code), dueAt: now }];
    case "Timeout":
      return timedOut(fault.then, code, timetable);
    case "LostAcknowledgement":
      return [settled];
    case "DuplicateFacts":
      return [accepted, settled].map((step) => ({ ...step, copies: 2 }));
    case "OutOfOrder":
      // The rail reports the return when it settles, and the settlement after that.
      return [
        accepted,
        { ...settled, dueAt: later(settlesAt, gapMs) },
        { event: returned, dueAt: settlesAt },
      ];
    case "Delay":
      return [accepted, settled].map((step) => {
        return { ...step, dueAt: later(step.dueAt, fault.delaySeconds * 1_000) };
      });
    case "DuplicateReturn": {
      const returnedAt = lateReturnAt(code, settlesAt);
      const again = { event: { ...returned, repetition: 1 }, dueAt: later(returnedAt, gapMs) };
      return [accepted, settled, { event: returned, dueAt: returnedAt }, again];
    }
    case "NoticeOfChange": {
      const { correctedData } = fault;
      const notice = { kind: "NoticeOfChange", code, correctedData } as const;
      return [accepted, settled, { event: notice, dueAt: lateReturnAt(code, settlesAt) }];
    }
    case "UnmatchedReturn": {
      const reference = unmatchedTraceOf(fault.chance, code);
      const unmatched = { kind: "UnmatchedReturn", code, reference } as const;
      return [accepted, settled, { event: unmatched, dueAt: lateReturnAt(code, settlesAt) }];
    }
    case "SentBack": {
      const dueAt = later(settlesAt, gapMs);
      const reference = referenceText(railReferenceOf(payment.rail, fault.chance, dueAt));
      return [accepted, settled, { event: { kind: "SentBack", reference }, dueAt }];
    }
  }
}

function codeOf(fault: FaultAtRail, { rail, direction }: FaultyPayment): string {
  const named = "code" in fault ? fault.code : null;
  const rejects = fault.kind === "Reject" || fault.kind === "Timeout";
  return named ?? (rejects ? defaultRejectCode(rail) : defaultReturnCode(direction));
}

/** The rail has the payment, but its answer to the hand-off was lost. */
function timedOut(then: "Settle" | "Fail", code: string, timetable: Timetable): Step[] {
  const { now, settlesAt, isInstant } = timetable;
  const onlyOnInquiry = true;
  if (then === "Fail") return [{ event: failedWith(code), dueAt: now, onlyOnInquiry }];
  // Whoever asks finds a payment of an Instant book settled.
  if (isInstant) return [{ event: { kind: "Settled" }, dueAt: now, onlyOnInquiry }];
  return [
    { event: { kind: "Accepted" }, dueAt: now, onlyOnInquiry },
    { event: { kind: "Settled" }, dueAt: settlesAt, onlyOnInquiry },
  ];
}
