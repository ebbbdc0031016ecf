import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createPaymentOrder, listLedgerAccounts, previewPaymentOrder } from "../../../typescript/sdk.gen.ts";
import type { PaymentOrderPreviewCreate } from "../../../typescript/types.gen.ts";
import { usePaused } from "../../parts/form/paused.ts";
import { bodyOf } from "../client/call.ts";
import { useIdempotencyKey } from "../client/idempotency.ts";
import { useSearch } from "../search.ts";

const suggestions = 100;

/**
 * Names of accounts to choose from: the newest, and in a book of more than these the ones that begin with what is
 * typed. Any other name can be typed.
 */
export function useAccountNames(typed: string): readonly string[] {
  const { data: newest } = useQuery({
    queryKey: ["ledger-accounts", "names"],
    queryFn: () => bodyOf(listLedgerAccounts({ query: { limit: suggestions } })),
  });
  const start = usePaused(typed.trim());
  const { data: found } = useSearch(newest?.hasMore === true ? start : "");
  const names = newest?.data
    .filter(({ normalBalance }) => normalBalance === "Credit")
    .map(({ name }) => name);
  const more = found?.data.flatMap((hit) =>
    hit.kind === "LedgerAccount" && hit.title !== null ? [hit.title] : [],
  );
  return [...new Set([...(more ?? []), ...(names ?? [])])];
}

/** What would become of the order. Undefined while the form is not complete. */
export function usePreview(body: PaymentOrderPreviewCreate | undefined) {
  return useQuery({
    queryKey: ["preview", body],
    queryFn: () => {
      if (body === undefined) throw new Error("a form that is not complete has no preview");
      return bodyOf(previewPaymentOrder({ body }));
    },
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
}

export function useCreateOrder() {
  const idempotency = useIdempotencyKey("new-order");
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (order: PaymentOrderPreviewCreate & { submit: boolean }) => {
      const key = await idempotency.keyFor(order);
      const made = await bodyOf(createPaymentOrder({ body: order, headers: { "Idempotency-Key": key } }));
      // Only this one: the order of another body may have been made too, if its answer was lost.
      idempotency.forget(key);
      return made;
    },
    // The page of the new order is shown without waiting: what this page shows may be slow to read.
    onSuccess: () => void client.invalidateQueries(),
  });
}
