import { cancelPaymentOrder, submitPaymentOrder } from "../../../typescript/sdk.gen.ts";
import type { PaymentOrderCancel } from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";
import { useWrite } from "../client/write.ts";

/** Cancels an order before it is handed to its rail. */
export function useCancelOrder(id: string) {
  return useWrite(`cancel-order:${id}`, (body: PaymentOrderCancel, headers) =>
    bodyOf(cancelPaymentOrder({ path: { id }, body, headers })),
  );
}

/** Submits a draft as it is. */
export function useSubmitOrder(id: string) {
  return useWrite(`submit-order:${id}`, (body: Record<string, never>, headers) =>
    bodyOf(submitPaymentOrder({ path: { id }, body, headers })),
  );
}
