import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { assignInboundPayment, getInboundPayment, listInboundPayments } from "../../../typescript/sdk.gen.ts";
import type { InboundPaymentAssign } from "../../../typescript/types.gen.ts";
import type { InboundFilters } from "../../routes/inbound/filters.ts";
import { bodyOf } from "../client/call.ts";
import { useConfirmed } from "../client/confirmed.ts";

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
  return useConfirmed({
    about: (body: InboundPaymentAssign) => ({ operation: "assignInboundPayment", ids: [id], body }),
    send: (body, headers) => bodyOf(assignInboundPayment({ path: { id }, body, headers })),
  });
}
