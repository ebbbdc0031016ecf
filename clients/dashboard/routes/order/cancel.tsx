import { type RefObject, useRef, useState } from "react";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import type { useCancelOrder } from "../../api/orders/order-actions.ts";
import { faultsOf } from "../../api/client/problem.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { TextField } from "../../parts/form/field.tsx";
import { money } from "../../parts/values/money.ts";
import { Sheet } from "../../parts/page/sheet.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { orderPageTexts } from "../../texts/order.ts";
import { orderTexts } from "../../texts/orders.ts";
import { Refusal } from "./refusal.tsx";

const { cancel: words } = orderPageTexts;

interface CancelProps {
  readonly order: PaymentOrder;
  readonly cancel: ReturnType<typeof useCancelOrder>;
  /** An order that can't be cancelled no longer has the button that opened the sheet, so this has the focus. */
  readonly outcome: RefObject<HTMLElement | null>;
  readonly close: () => void;
}

/** Asks before it cancels, because a cancelled order can't be sent any more. */
export function Cancel({ order, cancel, outcome, close }: CancelProps) {
  const { id, amountCents, counterpartyName, direction, cancellable } = order;
  const isAway = useAwaySince() !== null;
  const [reason, setReason] = useState("");
  const body = reason.trim() === "" ? {} : { reason: reason.trim() };
  const leave = () => {
    cancel.reset();
    close();
  };
  // Set by the answer, because the sheet may close before the page has drawn the cancelled order.
  const afterSuccess = useRef<HTMLElement>(null);
  const succeed = () => {
    afterSuccess.current = outcome.current;
    leave();
  };
  return (
    <Sheet
      title={words.title[direction](
        money(amountCents),
        visible(counterpartyName ?? orderTexts.ownAccount.toLowerCase()),
      )}
      close={leave}
      focusAfter={cancellable ? afterSuccess : outcome}
    >
      <p>{words.text}</p>
      {/* No form: the Enter that opened the sheet, pressed twice, must not cancel the order. */}
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        fault={faultsOf(cancel.error)("/reason")}
        maxLength={255}
        value={reason}
        change={setReason}
      />
      {cancel.isError && <Refusal error={cancel.error} order={order} hasMoved={!cancellable} />}
      <div className="actions">
        <button type="button" onClick={leave}>
          {words.keep}
        </button>
        <CopyCurl request={{ method: "POST", path: `/v1/payment-orders/${id}/cancel`, body }} />
        <button
          type="button"
          className="bad push"
          disabled={!cancellable || cancel.isPending || isAway}
          onClick={() => cancel.mutate(body, { onSuccess: succeed })}
        >
          {cancel.isPending ? words.asking : words.submit}
        </button>
      </div>
    </Sheet>
  );
}
