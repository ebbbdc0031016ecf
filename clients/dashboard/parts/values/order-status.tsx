import type { PaymentOrder, PaymentOrderStatus } from "../../../typescript/types.gen.ts";
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

/** The order's status, with the return code of one that came back. */
export function OrderStatus({ order, big = false }: { order: PaymentOrder; big?: boolean }) {
  const code = order.status === "Returned" ? ` ${order.return?.code ?? ""}` : "";
  return (
    <Chip tone={tones[order.status]} big={big}>
      {order.status}
      {code}
    </Chip>
  );
}
