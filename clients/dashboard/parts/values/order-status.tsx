import type { PaymentOrder, PaymentOrderStatus } from "../../../typescript/types.gen.ts";
import { orderTexts } from "../../texts/orders.ts";
import { Chip, type Tone } from "./chip.tsx";

const tones: Record<PaymentOrderStatus, Tone> = {
  Draft: "plain",
  Submitted: "info",
  Pending: "warn",
  Processing: "info",
  Completed: "ok",
  Failed: "bad",
  Returned: "bad",
  Cancelled: "plain",
};

/** Whether its bank returned the order after its completion: it stays Completed. */
export function isReturnedLate(order: PaymentOrder): boolean {
  return order.status === "Completed" && order.return !== null;
}

/** The order's status, with the return code of one that came back, also after its completion. */
export function OrderStatus({ order, big = false }: { order: PaymentOrder; big?: boolean }) {
  const { status } = order;
  const code = order.return?.code ?? "";
  const isLate = isReturnedLate(order);
  return (
    <Chip tone={isLate ? tones.Returned : tones[status]} big={big}>
      {isLate ? orderTexts.returnedLate(code) : status === "Returned" ? `${status} ${code}` : status}
    </Chip>
  );
}
