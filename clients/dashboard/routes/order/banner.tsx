import type { Ref } from "react";
import type { PaymentOrder, PaymentOrderStatus } from "../../../typescript/types.gen.ts";
import { isReturnedLate } from "../../parts/values/order-status.tsx";
import { inWords } from "../../parts/values/in-words.ts";
import { bankingDayInWords, Moment } from "../../parts/values/moment.tsx";
import { inDollars } from "../../parts/values/money.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { orderPageTexts } from "../../texts/order.ts";

const { banner: words } = orderPageTexts;

const tones: Record<PaymentOrderStatus, string> = {
  Draft: "banner",
  Submitted: "banner",
  Pending: "banner warn",
  Processing: "banner",
  Completed: "banner ok",
  Failed: "banner bad",
  Returned: "banner bad",
  Cancelled: "banner",
};

interface BannerProps {
  readonly order: PaymentOrder;
  readonly ref: Ref<HTMLParagraphElement>;
}

/** Why the order has the status that it has, in a sentence. */
export function Banner({ order, ref }: BannerProps) {
  const [title, text] = statusInWords(order);
  const opensAt = order.awaiting === "Window" ? order.cutoff?.nextWindowOpensAt : undefined;
  return (
    <p
      className={isReturnedLate(order) ? "banner bad" : tones[order.status]}
      aria-live="polite"
      ref={ref}
      tabIndex={-1}
    >
      <b>{title}</b> {text}
      {typeof opensAt === "string" && (
        <>
          {words.opens} <Moment at={opensAt} />.
        </>
      )}
    </p>
  );
}

/** A title and a sentence. */
export function statusInWords(order: PaymentOrder): readonly [string, string] {
  const { status, failure, cancelReason, awaiting, approval, effectiveDate } = order;
  if (awaiting === "Approval")
    return [words.approval[0], words.approvals(approval.received, approval.required)];
  if (awaiting === "Window") {
    // An order that waits for its rail names the opening.
    const waitsForRail = typeof order.cutoff?.nextWindowOpensAt === "string" || effectiveDate === null;
    return waitsForRail ? words.window : [words.date, words.from(bankingDayInWords(effectiveDate))];
  }
  if (status === "Failed" && failure !== null)
    return [words.Failed[0], withFullStop(inDollars(visible(failure.message)))];
  if (status === "Cancelled" && cancelReason !== null) {
    const [title] = approval.decision?.outcome === "Denied" ? words.denied : words.Cancelled;
    return [title, withFullStop(visible(cancelReason))];
  }
  if (order.return === null) return words[status];
  if (status === "Completed")
    return [words.returnedLate(inWords(order.return.reason).toLowerCase()), words.postedApart];
  if (status !== "Returned") return words[status];
  const wasPosted = order.completedAt !== null;
  return [
    `${words.Returned[0]}: ${inWords(order.return.reason).toLowerCase()}.`,
    wasPosted ? words.reversed : words.released,
  ];
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
