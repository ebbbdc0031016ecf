import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { assignInboundPayment, getInboundPayment, listInboundPayments } from "../../typescript/sdk.gen.ts";
import type { InboundFilters } from "../routes/inbound/filters.ts";
import { bodyOf } from "./call.ts";
import { useWrite } from "./write.ts";

const pageSize = 50;

/** One page of inbound payments, newest first. The page before stays until the next has come. */
export function useInboundPayments({ pages = [], ...filters }: InboundFilters) {
  const cursor = pages.at(-1);
  const query = { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
  return useQuery({
    queryKey: ["inbound-payments", query],
    queryFn: () => bodyOf(listInboundPayments({ query })),
    placeholderData: keepPreviousData,
  });
}

export function useInboundPayment(id: string) {
  return useQuery({
    queryKey: ["inbound-payment", id],
    queryFn: () => bodyOf(getInboundPayment({ path: { id } })),
  });
}

/** Moves the money from Suspense to the account with this name. */
export function useAssignInbound(id: string) {
  return useWrite(`assign-inbound:${id}`, (ledgerAccountName: string, headers) =>
    bodyOf(assignInboundPayment({ path: { id }, body: { ledgerAccountName }, headers })),
  );
}
