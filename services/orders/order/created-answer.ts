import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { viewOf } from "./order-view.ts";
import { initialProgress, type PaymentOrder, type StatusChange } from "./payment-order.ts";

/**
 * The answer to the create of a submitted order, as its Idempotency-Key stores it: without the members that the order's
 * terms and the first two rows of its history give again.
 */
export interface PartialAnswer {
  /**
   * The version of the answer (`AnswerVersions`): it says which members the answer had. An order has no member of this
   * name.
   */
  readonly answerForm: number;
  readonly members: Partial<PaymentOrderView>;
}
export type StoredAnswer = PaymentOrderView | PartialAnswer;

/** The first version of the answer that has each member. Members that are not listed are in every version. */
export type AnswerVersions = Readonly<Record<string, number>>;
const memberSince: AnswerVersions = {
  noticesOfChange: 2,
  sentBackBy: 2,
  "approval.makers": 3,
  "approval.reasons": 3,
  "approval.expiresAt": 3,
  "approval.mine": 3,
  "approval.decision": 4,
};

/** What a key stores. A Draft can still change, so nothing gives its answer again: it is stored whole. */
export function storedAnswerOf(
  order: PaymentOrder,
  history: readonly StatusChange[],
  answer: PaymentOrderView,
): StoredAnswer {
  if (order.phase === "Draft") return answer;
  const given = submittedView(order, history);
  const missing = Object.entries(answer).filter(
    ([name, value]) => !isSameJson(value, given[name as keyof PaymentOrderView]),
  );
  return { answerForm: newestVersion(memberSince), members: Object.fromEntries(missing) };
}

/**
 * The answer that was given first, byte for byte. A member that was added to orders since then is left out, as it is
 * in an answer that was stored whole: the contract has a default for it.
 */
export function firstAnswer(
  { answerForm, members }: PartialAnswer,
  order: PaymentOrder,
  history: readonly StatusChange[],
  since = memberSince,
): PaymentOrderView {
  const hadThen = <T extends object>(of: T, path = ""): T =>
    Object.fromEntries(
      Object.entries(of).filter(([name]) => (since[`${path}${name}`] ?? 1) <= answerForm),
    ) as T;
  const whole: PaymentOrderView = { ...submittedView(order, history), ...members };
  return hadThen({ ...whole, approval: hadThen(whole.approval, "approval.") });
}

export function isPartial(answer: StoredAnswer): answer is PartialAnswer {
  return "answerForm" in answer;
}

function newestVersion(since: AnswerVersions): number {
  return Math.max(1, ...Object.values(since));
}

/** What an order shows in the moment of its submission, as far as its terms, its hash and its history tell. */
function submittedView(
  { id, book, tenantId, mode, terms, createdBy, createdAt, progress }: PaymentOrder,
  history: readonly StatusChange[],
): PaymentOrderView {
  const first = history.slice(0, 2);
  const initial = initialProgress(createdBy);
  const submitted: PaymentOrder = {
    id,
    book,
    tenantId,
    mode,
    phase: "ReservingFunds",
    status: "Submitted",
    sequence: 1,
    terms,
    annotations: null,
    progress: {
      ...initial,
      // Set at the submission, and never again.
      approvals: { ...initial.approvals, orderHash: progress.approvals.orderHash },
    },
    dueAt: null,
    dueAtInBook: null,
    createdBy,
    createdAt,
    updatedAt: first.at(-1)?.at ?? createdAt,
  };
  return viewOf(submitted, first);
}

/** Most members are text, numbers or null. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  return typeof one === "object" && one !== null && JSON.stringify(one) === JSON.stringify(other);
}
