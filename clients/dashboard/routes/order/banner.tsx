import type { PaymentOrder, PaymentOrderStatus } from "../../../typescript/types.gen.ts";
import { inWords } from "../../parts/in-words.ts";
import { Moment } from "../../parts/moment.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";

const { banner: words } = texts.orderPage;

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

/** Why the order has the status that it has, in a sentence. */
export function Banner({ order }: { order: PaymentOrder }) {
  const [title, text] = sentencesOf(order);
  const opensAt = order.awaiting === "Window" ? order.cutoff?.nextWindowOpensAt : undefined;
  return (
    <p className={tones[order.status]} aria-live="polite">
      <b>{title}</b> {text}
      {typeof opensAt === "string" && (
        <>
          {words.opens} <Moment at={opensAt} />.
        </>
      )}
    </p>
  );
}

function sentencesOf(order: PaymentOrder): readonly [string, string] {
  const { status, failure, cancelReason, awaiting, approval } = order;
  if (awaiting === "Approval")
    return [words.approval[0], words.approvals(approval.received, approval.required)];
  if (awaiting === "Window") return words.window;
  if (status === "Failed" && failure !== null) return [words.Failed[0], visible(failure.message)];
  if (status === "Cancelled" && cancelReason !== null) return [words.Cancelled[0], visible(cancelReason)];
  if (status !== "Returned" || order.return === null) return words[status];
  const wasPosted = order.completedAt !== null;
  return [
    `${words.Returned[0]}: ${inWords(order.return.reason).toLowerCase()}.`,
    wasPosted ? words.reversed : words.released,
  ];
}
