import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createPaymentOrder,
  getLedgerTransaction,
  getPaymentOrder,
  getPaymentOrderTimeline,
  simulatePaymentOrder,
  submitPaymentOrder,
} from "../../../typescript/sdk.gen.ts";
import type { PaymentOrder, PaymentOrderCreate, SimulationAction } from "../../../typescript/types.gen.ts";
import { bodyOf } from "../client/call.ts";
import { useIdempotencyKey } from "../client/idempotency.ts";
import { readAfterWrite } from "../client/read-after-write.ts";
import { useMay } from "../people/me.ts";

const ended = new Set<PaymentOrder["status"]>(["Completed", "Failed", "Returned", "Cancelled"]);

export function hasEnded({ status }: PaymentOrder): boolean {
  return ended.has(status);
}

export function orderQuery(id: string) {
  return queryOptions({ queryKey: ["order", id], queryFn: () => bodyOf(getPaymentOrder({ path: { id } })) });
}

/** An order. What its rail does shows by the stream (live.ts). */
export function useOrder(id: string) {
  return useQuery(orderQuery(id));
}

/** The order as the page shows it now; undefined before it was read. */
export function useShownOrder() {
  const client = useQueryClient();
  return (id: string) => client.getQueryData<PaymentOrder>(["order", id]);
}

/** What every service knows of the order, read again with each change of it. */
export function useTimeline({ id }: PaymentOrder) {
  return useQuery({
    queryKey: ["order", id, "timeline"],
    queryFn: () => bodyOf(getPaymentOrderTimeline({ path: { id } })),
  });
}

/** The transaction that the order made in the ledger. */
export function useLedgerTransaction(order: PaymentOrder) {
  const id = order.ledgerTransactionId;
  const may = useMay("ledger:read");
  return useQuery({
    queryKey: ["ledger-transaction", id, order.updatedAt],
    queryFn: () => bodyOf(getLedgerTransaction({ path: { id: id ?? "" } })),
    enabled: may && id !== null,
  });
}

export interface Outcome {
  readonly action: SimulationAction;
  readonly code?: string;
}

/** The path and body that ask the simulator for an outcome. */
export function simulationOf(orderId: string, { action, code }: Outcome) {
  return {
    method: "POST" as const,
    path: `/v1/simulations/payment-orders/${orderId}/${action}`,
    body: code === undefined ? {} : { code },
  };
}

/** Sets what the rail does with a test order. */
export function useSimulate(order: PaymentOrder) {
  const client = useQueryClient();
  const idempotency = useIdempotencyKey(`simulate:${order.id}`);
  return useMutation({
    mutationFn: ({ action, code }: Outcome) =>
      bodyOf(
        simulatePaymentOrder({
          path: { id: order.id, action },
          body: code === undefined ? {} : { code },
          headers: { "Idempotency-Key": idempotency.key() },
        }),
      ),
    onSettled: () => {
      // Another outcome is another request. The same one again has no effect: the rail says `Repeat`.
      idempotency.renew();
      return readAfterWrite(client);
    },
  });
}

/** Sends a copy of an order that has ended: makes it, asks the rail for the outcome, submits it. Returns its id. */
export function useSendAgain(order: PaymentOrder, copy: PaymentOrderCreate | undefined) {
  const made = useIdempotencyKey(`copy:${order.id}`);
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ action, code }: Outcome) => {
      if (copy === undefined) throw new Error("an order that can't be copied has no button");
      const key = made.key();
      const { id } = await bodyOf(
        createPaymentOrder({
          body: { ...copy, submit: false },
          headers: { "Idempotency-Key": `${key}-make` },
        }),
      );
      await bodyOf(
        simulatePaymentOrder({
          path: { id, action },
          body: code === undefined ? {} : { code },
          headers: { "Idempotency-Key": `${key}-${action}-${code ?? ""}` },
        }),
      );
      await bodyOf(submitPaymentOrder({ path: { id }, headers: { "Idempotency-Key": `${key}-submit` } }));
      return id;
    },
    onSuccess: () => {
      made.renew();
      void client.invalidateQueries({ queryKey: ["orders"] });
    },
  });
}
