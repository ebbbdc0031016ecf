import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listPaymentOrders } from "../../typescript/sdk.gen.ts";
import type { OrderFilters } from "../routes/order-filters.ts";
import { bodyOf } from "./call.ts";

const pageSize = 50;

/** One page of orders, newest first. The page before stays until the next has come. */
export function useOrders({ pages = [], ...filters }: OrderFilters) {
  const cursor = pages.at(-1);
  const query = { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
  return useQuery({
    queryKey: ["orders", query],
    queryFn: () => bodyOf(listPaymentOrders({ query })),
    placeholderData: keepPreviousData,
  });
}
