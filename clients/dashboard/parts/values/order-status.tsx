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

/** The order's status, with the return code of one that came back, also after its completion. */
export function OrderStatus({ order, big = false }: { order: PaymentOrder; big?: boolean }) {
  const { status } = order;
  const code = order.return?.code;
  const isLate = status === "Completed" && code !== undefined;
  return (
    <Chip tone={isLate ? tones.Returned : tones[status]} big={big}>
      {isLate ? orderTexts.returnedLate(code) : code === undefined ? status : `${status} ${code}`}
    </Chip>
  );
}
