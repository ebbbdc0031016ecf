import { Link } from "@tanstack/react-router";
import { type RefObject, useState } from "react";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useCancelOrder, type useSubmitOrder } from "../../api/orders/order-actions.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { money } from "../../parts/values/money.ts";
import { orderPageTexts } from "../../texts/order.ts";
import { Cancel } from "./cancel.tsx";

const { submit: words, cancel } = orderPageTexts;

interface ActionsProps {
  readonly order: PaymentOrder;
  readonly submit: ReturnType<typeof useSubmitOrder>;
  /** Has the focus after an action, because the button that had it is gone. */
  readonly outcome: RefObject<HTMLElement | null>;
}

/** Submits a draft, copies an order, and cancels one that its rail does not have yet. */
export function Actions({ order, submit, outcome }: ActionsProps) {
  const { id, status, cancellable, amountCents, obligationId } = order;
  const isAway = useAwaySince() !== null;
  const [isCancelling, setCancelling] = useState(false);
  const cancelling = useCancelOrder(id);
  // While it is asked, the order may have moved on already: the answer is not here yet.
  const isDraft = status === "Draft" || submit.isPending;
  return (
    <>
      {isDraft && (
        <>
          <CopyCurl
            request={{ method: "POST", path: `/v1/payment-orders/${id}/submit`, body: {} }}
            text={words.curl}
          />
          <button
            type="button"
            className="primary"
            disabled={submit.isPending || isAway}
            onClick={() => submit.mutate({}, { onSuccess: () => outcome.current?.focus() })}
          >
            {submit.isPending ? words.asking : words.submit(money(amountCents))}
          </button>
        </>
      )}
      {/* The ledger requests the order that pays an obligation: a copy would pay it twice. */}
      {obligationId === null && (
        <Link className="button" to="/orders/new" search={{ copyOf: id }}>
          {orderPageTexts.duplicate}
        </Link>
      )}
      {cancellable && (
        <button type="button" className="bad" onClick={() => setCancelling(true)}>
          {cancel.open}
        </button>
      )}
      {isCancelling && (
        <Cancel order={order} cancel={cancelling} outcome={outcome} close={() => setCancelling(false)} />
      )}
    </>
  );
}
